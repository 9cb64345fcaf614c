/// Functions as XLA calls them (jax.ffi) and as operators of torch, without the headers of either:
/// the C interface between exported objects, Python's fairlead.jax and fairlead.torch, and the
/// runtime library (libcuda_dialect_runtime).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fairlead/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The source of an argument. The numbers are part of exported objects.
enum FairleadXlaParamKind {
  kFairleadXlaTensor = 0,  ///< the next buffer: inputs first, then results
  kFairleadXlaNumber = 1,  ///< the attribute called `name`
  kFairleadXlaStream = 2,  ///< XLA's stream
  kFairleadXlaInputs = 3,  ///< all inputs, each an argument
  kFairleadXlaResults = 4, ///< all results, each an argument
};

typedef struct FairleadXlaParam {
  int32_t kind; ///< FairleadXlaParamKind
  /// Modes of a tensor; a buffer with more of them holds a batch, and the function is called for
  /// each of its members. -1: the tensor has all modes of its buffer.
  int32_t rank;
  const char *name; ///< for messages; of a number, its attribute's
} FairleadXlaParam;

enum FairleadXlaFlag {
  kFairleadXlaOwnedTensors = 1, ///< tensors are objects of the ABI, not borrowed DLTensors
};

/// A function of the TVM FFI ABI as XLA calls it.
typedef struct FairleadXlaFunction {
  const char *name;
  TVMFFISafeCallType entry; ///< NULL: that of `handle`
  void *handle;             ///< the Function that `entry` belongs to; NULL if it needs none
  const FairleadXlaParam *params;
  int32_t num_params;
  int32_t flags; ///< FairleadXlaFlag, joined by or
} FairleadXlaFunction;

/// Calls the function for `frame`, an XLA_FFI_CallFrame. Returns NULL, or an XLA_FFI_Error. Reports
/// version 0.1 if asked for it. The call may have these attributes, all of them optional:
///
/// - `fairlead_buffers`, int32: for each parameter the number of its buffer, counted through inputs
///   and results; -1 for a parameter without one. By default tensors are the buffers in order.
/// - `fairlead_layouts`, int32: for each tensor the modes of its buffer from major to minor, one
///   tensor after the other. By default buffers are row-major.
/// - `fairlead_modes`, int32: for each mode of each tensor, the mode of the buffer.
///
/// `device_type` (kDLCPU, kDLCUDA) is the device of the buffers; 0 if XLA has to report it. Errors
/// of the function keep their texts. TypeError, ValueError and IndexError become INVALID_ARGUMENT,
/// other errors INTERNAL. Thread-safe if the function is.
FAIRLEAD_RUNTIME_API void *FairleadXlaCall(void *frame, const FairleadXlaFunction *function,
                                           int32_t device_type);

/// Returns a handler for XLA that does FairleadXlaCall for `function`, for the life of the process.
/// NULL with the error raised if the processor or the system forbids code made at run time.
FAIRLEAD_RUNTIME_API void *FairleadXlaHandler(const FairleadXlaFunction *function,
                                              int32_t device_type, int32_t command_buffer);

/// Registers `function`, which must live as long as the process, for the handlers below under a
/// number that is the same in every process. Ignores a number that is already registered.
FAIRLEAD_RUNTIME_API void FairleadXlaAddProgram(int64_t program,
                                                const FairleadXlaFunction *function);

/// Loads the code that a call carries: `size` bytes of an exported object, with the function called
/// `name` in it. Returns NULL with the error raised. fairlead.jax sets it.
typedef const FairleadXlaFunction *(*FairleadXlaLoader)(const void *object, size_t size,
                                                        const char *name);
FAIRLEAD_RUNTIME_API void FairleadXlaSetLoader(FairleadXlaLoader loader);

/// Handlers that call the function whose number is the attribute `fairlead_program` (int64). If the
/// process does not know it, they load it from the exported object in the attribute
/// `fairlead_object` (uint8), by the name in `fairlead.name` (text). FairleadXlaCuda lets XLA
/// record calls into command buffers (CUDA graphs), FairleadXlaCudaEager does not.
FAIRLEAD_RUNTIME_API void *FairleadXlaCpu(void *frame);
FAIRLEAD_RUNTIME_API void *FairleadXlaCuda(void *frame);
FAIRLEAD_RUNTIME_API void *FairleadXlaCudaEager(void *frame);

/// The role of a function's argument in an operator of torch. The numbers are part of exported
/// objects.
enum FairleadTorchParamKind {
  kFairleadTorchTensor = 0,
  kFairleadTorchInt = 1,
  kFairleadTorchFloat = 2,
  kFairleadTorchBool = 3,
  kFairleadTorchStream = 4, ///< torch's current stream; no argument of the operator
};

typedef struct FairleadTorchParam {
  int32_t kind;  ///< FairleadTorchParamKind
  int32_t input; ///< number of the operator's argument; -1 of streams, and tensors it allocates
  /// Not 0: an argument that the operator writes. It must not share elements with another argument.
  /// If this is kFairleadTorchMayAlias + p, it may be the same tensor as the function's parameter
  /// `p`.
  int32_t written;
} FairleadTorchParam;

enum { kFairleadTorchMayAlias = 2 };

/// A tensor that the operator allocates and returns.
typedef struct FairleadTorchOutput {
  int32_t param;      ///< of the function
  int32_t dtype_from; ///< the argument that has the same element type; -1: `dtype`
  DLDataType dtype;
  int32_t rank;
  int32_t compact; ///< row-major: `extents` has no strides
  /// The extents of all modes, then their strides in elements. Each is: coefficient, number of
  /// symbols, and their numbers.
  const int64_t *extents;
} FairleadTorchOutput;

/// The source of a symbol's value.
typedef struct FairleadTorchSymbol {
  int32_t input; ///< the operator's argument
  int32_t mode;  ///< of a tensor's shape; -1: the argument is the number
} FairleadTorchSymbol;

/// A function of the TVM FFI ABI as an operator of torch.
typedef struct FairleadTorchKernel {
  const char *name;
  TVMFFISafeCallType entry; ///< NULL: that of `handle`
  void *handle;             ///< the Function that `entry` belongs to; NULL if it needs none
  const FairleadTorchParam *params;
  const FairleadTorchOutput *outputs;
  const FairleadTorchSymbol *symbols;
  int32_t num_params, num_outputs, num_symbols;
  int32_t num_inputs; ///< arguments of the operator
} FairleadTorchKernel;

/// Defines an operator by its schema, "add_one(Tensor a) -> Tensor", in a namespace of torch. 0, or
/// -1 with the error raised: torch is not in the process, is older than 2.10, or refuses the
/// schema.
FAIRLEAD_RUNTIME_API int32_t FairleadTorchDefine(const char *name_space, const char *schema);

/// Registers `kernel`, which must live as long as the process, as the implementation of an
/// operator, given by its schema or its name alone, for a dispatch key of torch ("CPU", "CUDA").
/// Calls need no GIL, and run on torch's current stream. Errors of the function become C++
/// exceptions that torch knows: ValueError and IndexError those of Python, others RuntimeError. 0,
/// or -1 with the error raised.
FAIRLEAD_RUNTIME_API int32_t FairleadTorchImplement(const char *name_space, const char *schema,
                                                    const char *key,
                                                    const FairleadTorchKernel *kernel);

/// Makes calls of the operator an error if grad mode is on and a tensor among its arguments
/// requires grad. Without this, torch gives no gradient, and warns in the backward pass. Does
/// nothing if this version of torch does not have the functions that are needed for it. `kernel`,
/// which says which arguments are tensors, is only read during the call. 0, or -1 with the error
/// raised.
FAIRLEAD_RUNTIME_API int32_t FairleadTorchRefuseGradients(const char *name_space,
                                                          const char *schema,
                                                          const FairleadTorchKernel *kernel);

enum FairleadTorchDevice { kFairleadTorchCpu = 1, kFairleadTorchCuda = 2 };

/// An operator that an exported object brings along.
typedef struct FairleadTorchOperator {
  const char *name_space;
  const char *name;
  const char *schema;
  int64_t devices; ///< FairleadTorchDevice, joined by or
  FairleadTorchKernel kernel;
} FairleadTorchOperator;

/// Defines and implements the operators from `begin` to before `end`, once for each address, and
/// keeps their library loaded. Returns 0, or -1 with the error raised; operators before the failed
/// one stay registered. Exported objects with operators define `fairlead_register_torch`, which
/// calls this.
FAIRLEAD_RUNTIME_API int32_t FairleadTorchRegister(const FairleadTorchOperator *const *begin,
                                                   const FairleadTorchOperator *const *end);

#ifdef __cplusplus
}
#endif
