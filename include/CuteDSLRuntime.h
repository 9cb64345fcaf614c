/// Functions exported with the plain C ABI, loaded while a program runs: `libcute_dsl_runtime.so`.
/// C99 and C++. It needs neither Python nor the compiler, and of CUDA only the driver, where a
/// function has code for GPUs.
///
///     CuteDSLRT_Module_t *module = NULL;
///     CuteDSLRT_Function_t *function = NULL;
///     CuteDSLRT_Module_Load(&module, "./add_one.o");
///     CuteDSLRT_Module_Get_Function(&function, module, "add_one");
///     int32_t result;
///     void *args[] = {&tensor_a, &tensor_b, &stream, &result};
///     CuteDSLRT_Function_Run(function, args, 4);
///     CuteDSLRT_Module_Destroy(module);
///
/// All functions may be called from any thread, but for two calls with one module of which one is
/// CuteDSLRT_Module_Destroy. None throws.
#ifndef CUTE_DSL_RUNTIME_H_
#define CUTE_DSL_RUNTIME_H_

#include <stddef.h>
#include <stdint.h>

#define CUTE_DSL_RT_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// What a function returns. The numbers below 1000 are those of cudaError_t.
typedef enum CuteDSLRT_Error_t {
  CuteDSLRT_Error_Success = 0,
  CuteDSLRT_Error_InvalidValue = 1,        ///< an argument is NULL, or a call's check failed
  CuteDSLRT_Error_OutOfMemory = 2,         ///< of the host or the device
  CuteDSLRT_Error_Unknown = 999,           ///< a call failed for another reason, see the text
  CuteDSLRT_Error_FileUnreadable = 1000,   ///< no such file, or it cannot be read
  CuteDSLRT_Error_InvalidFile = 1001,      ///< truncated, damaged, of another machine or kind
  CuteDSLRT_Error_VersionMismatch = 1002,  ///< exported for another version of this runtime
  CuteDSLRT_Error_UnresolvedSymbol = 1003, ///< it needs what no loaded library defines
  CuteDSLRT_Error_LibraryNotLoaded = 1004, ///< a shared library does not load
  CuteDSLRT_Error_FunctionNotFound = 1005, ///< no function of that name was exported
  CuteDSLRT_Error_AbiMismatch = 1006       ///< the function has the TVM FFI ABI
} CuteDSLRT_Error_t;

/// An exported file in this process.
typedef struct CuteDSLRT_Module_t CuteDSLRT_Module_t;
/// One function of a module, which owns it.
typedef struct CuteDSLRT_Function_t CuteDSLRT_Function_t;

/// Loads an exported object (`.o`) or a shared library made of such (told apart by their content).
/// `*module` is NULL on failure.
CUTE_DSL_RT_API CuteDSLRT_Error_t CuteDSLRT_Module_Load(CuteDSLRT_Module_t **module,
                                                        const char *path);

/// Loads an object from memory, which is copied, and opens the libraries that it needs by their
/// paths. `object` may be NULL with `size` 0: then the libraries' functions are the module's.
CUTE_DSL_RT_API CuteDSLRT_Error_t CuteDSLRT_Module_Create_From_Bytes(
    CuteDSLRT_Module_t **module, const unsigned char *object, size_t size,
    const char *const *shared_libraries, size_t num_shared_libraries);

/// The same of one object that the program has made itself: FAIRLEAD_TRUSTED_KEYS, which lists
/// whose signed files are loaded, does not ask it for a signature.
CUTE_DSL_RT_API CuteDSLRT_Error_t CuteDSLRT_Module_Create_From_Own_Bytes(
    CuteDSLRT_Module_t **module, const unsigned char *object, size_t size);

/// The function exported as `name`. Loads its device code on the calling thread's current GPU;
/// calls on another one load it there at the first.
CUTE_DSL_RT_API CuteDSLRT_Error_t CuteDSLRT_Module_Get_Function(CuteDSLRT_Function_t **function,
                                                                CuteDSLRT_Module_t *module,
                                                                const char *name);

/// Calls a function. `args` has the address of each argument, in the order of the exported header's
/// wrapper, then the address of an int32_t that gets the result. `num_args` counts all of them.
CUTE_DSL_RT_API CuteDSLRT_Error_t CuteDSLRT_Function_Run(CuteDSLRT_Function_t *function,
                                                         void **args, size_t num_args);

/// Ends a module and its functions; NULL is allowed. Device code is unloaded, unless another module
/// of the same library uses it, after all that its GPUs were given has ended: graphs that captured
/// calls are not to be launched afterwards. Functions of the TVM FFI ABI keep the file in memory.
CUTE_DSL_RT_API CuteDSLRT_Error_t CuteDSLRT_Module_Destroy(CuteDSLRT_Module_t *module);

/// Ends a module that nobody holds a symbol of any more, functions of the TVM FFI ABI included, so
/// that the file goes from memory; NULL is allowed. Waits for no GPU: device code is unloaded
/// later, when the work that its GPUs were given has ended, and stays where a graph has captured
/// calls. Libraries stay in memory.
CUTE_DSL_RT_API CuteDSLRT_Error_t CuteDSLRT_Module_Release(CuteDSLRT_Module_t *module);

/// "CuteDSLRT_Error_InvalidValue"; for any number.
CUTE_DSL_RT_API const char *CuteDSLRT_Get_Error_Name(CuteDSLRT_Error_t error);

/// What went wrong in this thread's last call here that failed; "" before any. Valid until the next
/// failure.
CUTE_DSL_RT_API const char *CuteDSLRT_Get_Last_Error(void);

/// Names of the functions of a module, of either ABI, sorted.
CUTE_DSL_RT_API size_t CuteDSLRT_Module_Get_Num_Functions(const CuteDSLRT_Module_t *module);
/// NULL for an index out of range; lives as long as the module.
CUTE_DSL_RT_API const char *CuteDSLRT_Module_Get_Function_Name(const CuteDSLRT_Module_t *module,
                                                               size_t index);
/// The address of a symbol that the module defines, else NULL. `__tvm_ffi_<name>` finds entries of
/// the TVM FFI ABI, and `__fairlead_c_<name>` descriptors (fairlead/PlainC.h).
CUTE_DSL_RT_API void *CuteDSLRT_Module_Get_Symbol(const CuteDSLRT_Module_t *module,
                                                  const char *symbol);
/// JSON about a function: signature, targets, versions; lives as long as the module.
CUTE_DSL_RT_API const char *CuteDSLRT_Function_Get_Metadata(const CuteDSLRT_Function_t *function);

#ifdef __cplusplus
}
#endif
#endif // CUTE_DSL_RUNTIME_H_
