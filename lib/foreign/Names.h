/// Names of kernels: as users write them, as images hold them.
#ifndef FAIRLEAD_LIB_FOREIGN_NAMES_H_
#define FAIRLEAD_LIB_FOREIGN_NAMES_H_

#include <string>
#include <vector>

#include "fairlead/Signature.h"
#include "fairlead/cuda/Image.h"

namespace fairlead::kernels {

/// `name` with each `{T}` replaced for this instance of the signature. Throws fairlead::Error
/// (LaunchText) for a variable that the signature lacks.
std::string instanceName(const std::string &name, const Signature &signature, int instance);

/// "scale<float>" of "_Z5scaleIfEvPT_"; a symbol that is no mangled one is itself.
std::string readableName(const std::string &symbol);

/// Returns the kernel that `name` means: the one with that symbol, else the only one with that C++
/// name (with or without template arguments). Null if none or several match.
const cuda::ImageKernel *findKernel(const std::vector<cuda::ImageKernel> &kernels,
                                    const std::string &name);

/// Readable names, quoted and joined, for messages; a long list is cut.
std::string listKernels(const std::vector<cuda::ImageKernel> &kernels);

} // namespace fairlead::kernels
#endif // FAIRLEAD_LIB_FOREIGN_NAMES_H_
