/// Calls of operators of torch.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_TORCH_KERNEL_H_
#define FAIRLEAD_LIB_FRAMEWORKS_TORCH_KERNEL_H_

#include <string>
#include <string_view>

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

} // namespace fairlead::frameworks::torch
#endif // FAIRLEAD_LIB_FRAMEWORKS_TORCH_KERNEL_H_
