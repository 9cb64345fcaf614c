/// Device code of functions that go: the C interface between who unloads code and the runtime
/// library (libcuda_dialect_runtime).
#ifndef FAIRLEAD_UNLOAD_H_
#define FAIRLEAD_UNLOAD_H_

#include <stdint.h>

#include "fairlead/Runtime.h"

/// Prefix of the symbol of an object's FairleadCudaModule; the exported name follows. Hidden, for
/// programs that link the object directly. Objects of older releases do not have it.
#define FAIRLEAD_MODULE_PREFIX "__fairlead_module_"

#ifdef __cplusplus
extern "C" {
#endif

/// Ends a module whose code is about to go; nobody uses it any more. Asks nothing of the driver, so
/// that a garbage collector may call it. The device code is unloaded when all work that its GPUs
/// were given has ended: by FairleadCudaUnloadRetired, or, in processes that have captured no
/// launch of generated code in a graph, when other device code is loaded and much waits for that.
/// Code that a capture has recorded stays loaded.
FAIRLEAD_RUNTIME_API void FairleadCudaModuleRetire(FairleadCudaModule *module);

/// Waits for the GPUs, and unloads the device code of all retired modules but those in graphs. How
/// many that were. Not to be called while any thread captures a graph.
FAIRLEAD_RUNTIME_API int32_t FairleadCudaUnloadRetired(void);

#ifdef __cplusplus
}
#endif
#endif // FAIRLEAD_UNLOAD_H_
