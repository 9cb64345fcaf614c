/// The table of every diagnostic (Diagnostics.def) as an enumeration, and the composition of its
/// texts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/Error.h"
#include "fairlead/Export.h"

namespace fairlead {

enum class Diagnostic : int {
#define FAIRLEAD_DIAGNOSTIC(id, kind, text) id,
#include "fairlead/Diagnostics.def"
#undef FAIRLEAD_DIAGNOSTIC
};

struct DiagnosticInfo {
  std::string_view id;   ///< the enumerator's name
  std::string_view kind; ///< Python exception name
  std::string_view text; ///< template with {name} places
};

/// The name of a parameter, and its value as text.
using DiagnosticArg = std::pair<std::string_view, std::string>;
using DiagnosticArgs = std::initializer_list<DiagnosticArg>;

FAIRLEAD_API int numDiagnostics();
FAIRLEAD_API const DiagnosticInfo &info(Diagnostic id);
/// The text with each `{name}` of `args` filled in; places not named in `args` stay as they are.
FAIRLEAD_API std::string compose(Diagnostic id, DiagnosticArgs args);
/// Returns the exception of a diagnostic, with its id and help text, to be thrown. `args` has a
/// value for each place of the text, and may have further ones for the help texts.
FAIRLEAD_API Error makeError(Diagnostic id, DiagnosticArgs args = {});
/// makeError for an id and parameters that are known at run time only. Throws
/// std::invalid_argument for an unknown id, a place without a value, and a parameter that neither
/// the text nor a help text of the diagnostic has.
FAIRLEAD_API Error makeNamedError(std::string_view id, const std::vector<DiagnosticArg> &args);

} // namespace fairlead
