/// The table of every diagnostic (Diagnostics.def) as an enumeration, and the composition of its
/// texts.
#ifndef FAIRLEAD_DIAGNOSTICS_H_
#define FAIRLEAD_DIAGNOSTICS_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

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

using DiagnosticArgs = std::initializer_list<std::pair<std::string_view, std::string>>;

FAIRLEAD_API int numDiagnostics();
FAIRLEAD_API const DiagnosticInfo &info(Diagnostic id);
/// The text with each `{name}` of `args` filled in; places not named in `args` stay as they are.
FAIRLEAD_API std::string compose(Diagnostic id, DiagnosticArgs args);
/// compose as an exception, to be thrown.
FAIRLEAD_API Error makeError(Diagnostic id, DiagnosticArgs args = {});

} // namespace fairlead
#endif // FAIRLEAD_DIAGNOSTICS_H_
