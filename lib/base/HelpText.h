/// The help texts of Diagnostics.def: what to write instead.
#ifndef FAIRLEAD_LIB_BASE_HELPTEXT_H_
#define FAIRLEAD_LIB_BASE_HELPTEXT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fairlead/Diagnostics.h"

namespace fairlead {

/// Returns the value of a parameter; nothing if it has none.
using ArgLookup = std::function<std::optional<std::string>(std::string_view)>;

/// Returns the first help text of a diagnostic whose condition holds for `args` and whose places
/// all have a value there, or an empty text.
std::string helpFor(Diagnostic id, const ArgLookup &args);
/// True if a help text of the diagnostic, or its condition, uses this parameter.
bool isHelpParameter(Diagnostic id, std::string_view name);

} // namespace fairlead
#endif // FAIRLEAD_LIB_BASE_HELPTEXT_H_
