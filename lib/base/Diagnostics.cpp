#include "fairlead/Diagnostics.h"

#include "base/Placeholders.h"

namespace fairlead {

static constexpr DiagnosticInfo kDiagnostics[] = {
#define FAIRLEAD_DIAGNOSTIC(id, kind, text) {#id, kind, text},
#include "fairlead/Diagnostics.def"
#undef FAIRLEAD_DIAGNOSTIC
};

int numDiagnostics() { return static_cast<int>(std::size(kDiagnostics)); }

const DiagnosticInfo &info(Diagnostic id) { return kDiagnostics[static_cast<int>(id)]; }

std::string compose(Diagnostic id, DiagnosticArgs args) {
  return fillPlaceholders(info(id).text, args);
}

Error makeError(Diagnostic id, DiagnosticArgs args) {
  return Error(std::string(info(id).kind), compose(id, args));
}

} // namespace fairlead
