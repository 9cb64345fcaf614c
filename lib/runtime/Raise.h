/// Raising an entry of Diagnostics.def from the runtime libraries.
#ifndef FAIRLEAD_LIB_RUNTIME_RAISE_H_
#define FAIRLEAD_LIB_RUNTIME_RAISE_H_

#include "fairlead/Diagnostics.h"
#include "fairlead/Runtime.h"

namespace fairlead::runtime {

/// Stores the diagnostic, with its places filled in, in the thread's error slot. `context` may be
/// NULL; else its status becomes -1.
void raise(FairleadCallContext *context, Diagnostic id, DiagnosticArgs args) noexcept;

} // namespace fairlead::runtime
#endif // FAIRLEAD_LIB_RUNTIME_RAISE_H_
