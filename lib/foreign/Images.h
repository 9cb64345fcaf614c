/// Device images of a kernel: reads them and compares them with the arguments of the signature.
#ifndef FAIRLEAD_LIB_FOREIGN_IMAGES_H_
#define FAIRLEAD_LIB_FOREIGN_IMAGES_H_

#include <string>
#include <string_view>
#include <vector>

#include "entry/LaunchStub.h"
#include "fairlead/cuda/Image.h"

namespace fairlead::kernels {

/// One image for one architecture, to be embedded.
struct Image {
  std::string arch; ///< "sm_90a" or "compute_90"
  std::string data; ///< CUBIN, PTX, or a fatbin that holds it compressed
  std::vector<cuda::ImageKernel> kernels;
  bool kernelsKnown = true;
  std::string what; ///< for messages: "image #0 (sm_90a)"
};

/// CUDA C++ text, as opposed to PTX text and the forms of bytes.
bool isCudaText(std::string_view source);

/// Reads one source that is no CUDA C++ and appends its images. Throws fairlead::Error
/// (KernelImage) for bytes that are damaged or hold no code: they never reach the driver.
void appendImages(std::vector<Image> &images, const std::string &bytes, int index,
                  const std::string &kernel);

/// The symbol of `kernel` in the images, for this instance of the signature. Throws
/// fairlead::Error: an image lacks it (KernelMissing), or disagrees with the arguments about its
/// parameters (KernelParamCount, KernelParamSize).
std::string resolveKernel(const std::vector<Image> &images, const std::string &kernel,
                          const Signature &instance, const entry::LaunchPlan &plan);

} // namespace fairlead::kernels
#endif // FAIRLEAD_LIB_FOREIGN_IMAGES_H_
