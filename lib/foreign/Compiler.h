/// CUDA C++ text to device images, through NVRTC and the disk cache.
#ifndef FAIRLEAD_LIB_FOREIGN_COMPILER_H_
#define FAIRLEAD_LIB_FOREIGN_COMPILER_H_

#include <string>
#include <vector>

#include "fairlead/Kernel.h"
#include "foreign/Images.h"

namespace fairlead::kernels {

struct Compiled {
  std::vector<Image> images;        ///< one for each architecture
  std::vector<std::string> symbols; ///< of the kernels, in their order
};

/// Compiles the text for each of `options.archs`. `kernels` are C++ names; templates among them are
/// instantiated. Throws fairlead::Error: KernelArch, KernelNoArch, KernelCompile with the
/// compiler's whole log, KernelMissing, CacheFolder.
Compiled compileText(const std::string &source, const std::vector<std::string> &kernels,
                     const KernelOptions &options);

} // namespace fairlead::kernels
#endif // FAIRLEAD_LIB_FOREIGN_COMPILER_H_
