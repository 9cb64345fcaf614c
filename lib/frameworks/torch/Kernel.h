/// Calls of operators of torch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dlpack/dlpack.h"
#include "fairlead/Frameworks.h"
#include "frameworks/torch/Shim.h"

namespace fairlead::frameworks::torch {

struct KernelContext {
  const FairleadTorchKernel *kernel;
  const Shim *shim;
  std::string schema; ///< for messages; its name alone where the rest is not known
};

/// Throws what Python shows as the error that is raised in this thread.
[[noreturn]] void throwRaised();

/// Returns the name of an argument in the schema.
std::string argumentName(std::string_view schema, int32_t index);

/// Runs a boxed kernel: takes over the arguments on `stack`, and leaves the results there. Throws a
/// standard exception with the function's error text.
void runBoxed(Word *stack, uint64_t numInputs, uint64_t numOutputs, const KernelContext *context);

/// Registers a kernel for the key of `autograd` (a library of the key Autograd) that throws if a
/// gradient is needed, and otherwise does what torch does for operators without such a kernel.
/// Registers nothing if this torch lacks the C++ functions of Shim::Autograd or lays out their
/// values in an unknown way: torch then warns in the backward pass.
///
/// Throws what torch throws if it refuses the registration. Returns false with the error raised if
/// no code can be made at run time.
bool refuseGradients(const Shim &shim, Handle autograd, const char *nameSpace,
                     const std::string &schema, const FairleadTorchKernel &kernel);

/// True if a byte belongs to elements of both tensors. Strides are 0 or more, as in torch. Returns
/// false if the search would take long.
bool haveCommonElements(const DLTensor &some, const DLTensor &other);

/// True if both have the same elements at the same places.
bool isSameTensor(const DLTensor &some, const DLTensor &other);

/// The first byte, and how many bytes there are up to the last one.
struct Span {
  explicit Span(const DLTensor &tensor)
      : begin(reinterpret_cast<uintptr_t>(tensor.data)), size(tensor.dtype.bits / 8) {
    uintptr_t last = 0;
    for (int i = 0; i < tensor.ndim; ++i) {
      if (!tensor.shape[i]) {
        size = 0;
        return;
      }
      last += static_cast<uintptr_t>(tensor.shape[i] - 1) * tensor.strides[i];
    }
    size += last * size;
  }
  bool meets(const Span &other) const {
    return size && other.size && begin < other.begin + other.size && other.begin < begin + size;
  }

  uintptr_t begin, size;
};

} // namespace fairlead::frameworks::torch
