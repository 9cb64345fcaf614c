/// Unloading of device code: the C interface between the code that unloads functions and the
/// runtime library (libcuda_dialect_runtime).
#pragma once

#include <stdint.h>

#include "fairlead/Runtime.h"

/// Prefix of the symbol of an object's FairleadCudaModule; the exported name follows. Hidden, for
/// programs that link the object directly.
#define FAIRLEAD_MODULE_PREFIX "__fairlead_module_"

#ifdef __cplusplus
extern "C" {
#endif

/// Ends a module whose code is about to be unloaded and is no longer used. Makes no driver call, so
/// that a garbage collector may call it. The device code is unloaded once all work of its GPUs has
/// ended: by FairleadCudaUnloadRetired, or when other device code is loaded and many modules wait
/// for it, unless the process has captured a launch of generated code in a graph. Code that a
/// capture has recorded stays loaded.
FAIRLEAD_RUNTIME_API void FairleadCudaModuleRetire(FairleadCudaModule *module);

/// Waits for the GPUs, and unloads the device code of all retired modules except those in graphs.
/// Returns how many were unloaded. Must not be called while any thread captures a graph.
FAIRLEAD_RUNTIME_API int32_t FairleadCudaUnloadRetired(void);

#ifdef __cplusplus
}
#endif
