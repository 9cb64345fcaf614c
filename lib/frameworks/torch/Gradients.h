/// Calls of operators without a derivative, as autograd sees them.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_TORCH_GRADIENTS_H_
#define FAIRLEAD_LIB_FRAMEWORKS_TORCH_GRADIENTS_H_

#include <string>

#include "fairlead/Frameworks.h"
#include "frameworks/torch/Shim.h"

namespace fairlead::frameworks::torch {

/// Registers a kernel for the key of `autograd` (a library of the key Autograd) that throws if a
/// gradient is needed, and otherwise does what torch does for operators without such a kernel.
/// Registers nothing if this torch lacks the C++ functions of Shim::Autograd or lays out their
/// values in an unknown way: torch then warns in the backward pass.
///
/// Throws what torch throws if it refuses the registration. Returns false with the error raised if
/// no code can be made at run time.
bool refuseGradients(const Shim &shim, Handle autograd, const char *nameSpace,
                     const std::string &schema, const FairleadTorchKernel &kernel);

} // namespace fairlead::frameworks::torch
#endif // FAIRLEAD_LIB_FRAMEWORKS_TORCH_GRADIENTS_H_
