/// The environment that a kernel runs in: the stream, the tensor allocator, signals and the symbols
/// of loaded modules. C11 and C++17.
#ifndef TVM_FFI_EXTRA_C_ENV_API_H_
#define TVM_FFI_EXTRA_C_ENV_API_H_

#include <tvm/ffi/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A stream of the device's own kind, such as cudaStream_t; NULL is the default stream.
typedef void *TVMFFIStreamHandle;

//===----------------------------------------------------------------------===//
// Streams and memory. Both belong to the calling thread.
//===----------------------------------------------------------------------===//

/// Sets the thread's stream of a device; `opt_out_original_stream` (may be NULL) receives the one
/// before.
TVM_FFI_DLL int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id,
                                   TVMFFIStreamHandle stream,
                                   TVMFFIStreamHandle *opt_out_original_stream);

/// The thread's stream of a device; NULL where none was set.
TVM_FFI_DLL TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);

/// Sets the thread's tensor allocator, and the process's too if `write_to_global_context` is not 0.
/// `opt_out_original_allocator` (may be NULL) receives the thread's one before.
TVM_FFI_DLL int
TVMFFIEnvSetDLPackManagedTensorAllocator(DLPackManagedTensorAllocator allocator,
                                         int write_to_global_context,
                                         DLPackManagedTensorAllocator *opt_out_original_allocator);

/// The thread's tensor allocator, else the process's, else NULL.
TVM_FFI_DLL DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void);

/// Allocates a Tensor with the prototype's shape, dtype and device through the allocator above.
TVM_FFI_DLL int TVMFFIEnvTensorAlloc(DLTensor *prototype, TVMFFIObjectHandle *out);

//===----------------------------------------------------------------------===//
// The host language
//===----------------------------------------------------------------------===//

/// Lets the host language look for signals such as an interrupt. -1: it has set its own error, and
/// the thread's slot is empty.
TVM_FFI_DLL int TVMFFIEnvCheckSignals(void);

/// Hands in a function of the host language: PyErr_CheckSignals, PyGILState_Ensure or
/// PyGILState_Release. ValueError for another name.
TVM_FFI_DLL int TVMFFIEnvRegisterCAPI(const char *name, void *symbol);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Looks a function up in a library's imports, then among the global functions. `library_ctx` is
/// the value of the library's context symbol. `out` is borrowed: the module keeps it.
TVM_FFI_DLL int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char *func_name,
                                              TVMFFIObjectHandle *out);

/// Every library loaded from now on that has a data symbol `name` gets `symbol` stored there.
TVM_FFI_DLL int TVMFFIEnvModRegisterContextSymbol(const char *name, void *symbol);

/// Adds a symbol of the program itself to the system library.
TVM_FFI_DLL int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol);

#ifdef __cplusplus
} // extern "C"
#endif
#endif // TVM_FFI_EXTRA_C_ENV_API_H_
