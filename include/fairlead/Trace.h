/// Recording of launches for FAIRLEAD_TRACE, in the runtime library (libcuda_dialect_runtime).
/// Python's `fairlead` turns it on and writes the file; other programs can do the same.
#pragma once

#include "fairlead/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins (not 0) or ends (0) recording the launches of this process, and of launches on the CPU
/// the blocks that each thread ran. While it is off, a launch reads one flag. The first million of
/// events since the last FairleadTraceTake are kept.
FAIRLEAD_RUNTIME_API void FairleadTraceRecord(int32_t on);

/// Returns the events recorded since the last call: a JSON array in Chrome's trace format, with
/// times in microseconds of CLOCK_MONOTONIC. The text is valid until the next call.
FAIRLEAD_RUNTIME_API const char *FairleadTraceTake(void);

#ifdef __cplusplus
}
#endif
