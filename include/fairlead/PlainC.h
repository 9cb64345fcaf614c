/// The plain C ABI of exported functions, as the runtime library (libcuda_dialect_runtime) sees it.
/// Programs use the header that an export writes, which contains the declarations it needs.
///
/// A number at the end of a function's name is the version of this ABI: an object and a header
/// refer to the functions of their own version, so that a runtime of another one does not link.
#pragma once

#include <stdint.h>

#include "fairlead/Runtime.h"
#include "tvm/ffi/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of everything here; part of exported objects.
#define FAIRLEAD_C_ABI 1
/// Value of FairleadCFunction::members. A FairleadCFunction with more members at its end has a
/// larger one.
#define FAIRLEAD_C_MEMBERS 1
/// Prefix of the symbol of a FairleadCFunction; its exported name follows.
#define FAIRLEAD_C_PREFIX "__fairlead_c_"

/// Status of a call. The values are the first ones of CuteDSLRT_Error_t, numbered like cudaError_t.
enum FairleadCStatus {
  kFairleadCSuccess = 0,
  kFairleadCInvalidValue = 1, ///< an argument, or a known property of it, is wrong
  kFairleadCOutOfMemory = 2,
  kFairleadCUnknown = 999, ///< any other error: see FairleadCLastError
};

/// One exported function: a constant of its object.
typedef struct FairleadCFunction {
  uint32_t abi;         ///< FAIRLEAD_C_ABI of the exporter
  uint32_t num_args;    ///< addresses in a packed call: the arguments, then the result
  const char *version;  ///< of the Fairlead that exported it
  const char *name;     ///< the exported name
  const char *metadata; ///< JSON; docs/export.md describes it
  int32_t device_type;  ///< DLDeviceType on which it runs, where it could choose
  int32_t members;      ///< FAIRLEAD_C_MEMBERS of the exporter
  /// The function as the open ABI calls it, checks included.
  TVMFFISafeCallType entry;
  /// Calls `entry` with the values at the addresses. Returns 0, or -1 with an error raised.
  int32_t (*run)(void *const *args, int32_t device_id);
  /// Loads device code on a GPU. NULL: there is none.
  int32_t (*load)(int32_t device_id);
  /// The device code, or NULL.
  FairleadCudaModule *module;
} FairleadCFunction;

/// Loads the function's device code on the calling thread's current GPU, if it has any. A
/// FairleadCStatus; never throws. NULL is an error. Each success keeps the code until a
/// FairleadCUnload_1.
FAIRLEAD_RUNTIME_API int32_t FairleadCLoad_1(const FairleadCFunction *function);

/// Gives one FairleadCLoad_1 back. With the last one, device code is unloaded from all GPUs, after
/// the work that they were given; a later load or call loads it again. No call of the function may
/// be running, and no graph that captured one be launched afterwards. NULL does nothing.
FAIRLEAD_RUNTIME_API void FairleadCUnload_1(const FairleadCFunction *function);

/// Counts the users of a module that can be unloaded: `change` is 1 or -1. The last user's -1
/// unloads its code like FairleadCUnload_1. Modules without any counted user stay.
FAIRLEAD_RUNTIME_API void FairleadCudaModuleHold(FairleadCudaModule *module, int32_t change);

/// Calls with packed arguments: the address of each, in the function's order, then the address of
/// an int32_t for the result, a FairleadCStatus. Tensors are the structs of the exported header.
/// Safe from any thread.
FAIRLEAD_RUNTIME_API int32_t FairleadCRun_1(const FairleadCFunction *function, void *const *args,
                                            uint64_t num_args);

/// The text of the thread's last FairleadCLoad_1 or FairleadCRun_1 that failed; "" before any.
/// Valid until the thread's next failure.
FAIRLEAD_RUNTIME_API const char *FairleadCLastError(void);

/// The value of an IEEE half of these bits; generated code passes Float16 arguments through it.
FAIRLEAD_RUNTIME_API double FairleadCHalf(uint16_t bits);

/// The environment's stream for a device; NULL if the process has no TVM FFI runtime.
FAIRLEAD_RUNTIME_API void *FairleadCStream(int32_t device_type, int32_t device_id);

#ifdef __cplusplus
}
#endif
