#include "runtime/Raise.h"

#include <exception>

#include "base/Placeholders.h"

namespace fairlead::runtime {
namespace {

struct Entry {
  const char *kind;
  const char *text;
};

// A copy of the table, so that the runtime library needs nothing of the compiler's libraries.
constexpr Entry kTable[] = {
#define FAIRLEAD_DIAGNOSTIC(id, kind, text) {kind, text},
#include "fairlead/Diagnostics.def"
#undef FAIRLEAD_DIAGNOSTIC
};

} // namespace

void raise(FairleadCallContext *context, Diagnostic id, DiagnosticArgs args) noexcept {
  if (context)
    context->status = -1;
  const Entry &entry = kTable[static_cast<int>(id)];
  try {
    TVMFFIErrorSetRaisedFromCStr(entry.kind, fillPlaceholders(entry.text, args).c_str());
  } catch (const std::exception &) {
    TVMFFIErrorSetRaisedFromCStr(entry.kind, entry.text);
  }
}

} // namespace fairlead::runtime
