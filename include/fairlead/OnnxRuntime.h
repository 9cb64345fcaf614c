/// Functions as custom operators of ONNX Runtime, without its headers: the C interface between the
/// libraries that `fairlead bundle --onnxruntime` makes and the runtime library
/// (libcuda_dialect_runtime). Needs ONNX Runtime 1.16 or newer.
#pragma once

#include "fairlead/Frameworks.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An argument of an operator: tensors are inputs in order, numbers are attributes of the node.
typedef struct FairleadOnnxArgument {
  const char *name;
  int32_t kind;         ///< FairleadTorchParamKind, no stream
  int32_t element_type; ///< of a tensor, as ONNX numbers them
} FairleadOnnxArgument;

/// A function of the TVM FFI ABI as an operator. `kernel.params` say by `input` which of the
/// arguments each of them is.
typedef struct FairleadOnnxOperator {
  const char *name;
  int64_t devices; ///< FairleadTorchDevice, joined by or
  const FairleadOnnxArgument *arguments;
  const int32_t *output_types; ///< of each output its element type, as ONNX numbers them
  FairleadTorchKernel kernel;
} FairleadOnnxOperator;

/// Adds the operators under `domain` to an OrtSessionOptions: NULL, or an OrtStatus that the caller
/// releases. `base` is an OrtApiBase. The operators must live as long as the process. Libraries of
/// `fairlead bundle --onnxruntime` call it in `RegisterCustomOps`, which ONNX Runtime calls. Nodes
/// run on the device and the stream of the execution provider; errors of a function are statuses
/// with its text.
FAIRLEAD_RUNTIME_API void *FairleadOnnxRegister(void *options, const void *base, const char *domain,
                                                const FairleadOnnxOperator *operators,
                                                int32_t count);

#ifdef __cplusplus
}
#endif
