/// Raising an entry of Diagnostics.def from the runtime libraries.
#pragma once

#include "fairlead/Diagnostics.h"
#include "fairlead/Runtime.h"

namespace fairlead::runtime {

/// Stores the diagnostic, with its places filled in, in the thread's error slot. `context` may be
/// NULL; else its status becomes -1.
void raise(FairleadCallContext *context, Diagnostic id, DiagnosticArgs args) noexcept;

} // namespace fairlead::runtime
