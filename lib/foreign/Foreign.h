/// Kernels in CUDA C++, PTX or machine code: reading and compiling them, planning their launches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "entry/LaunchStub.h"
#include "fairlead/Cache.h"
#include "fairlead/Kernel.h"
#include "fairlead/Signature.h"
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

/// Adds to `key` the content of every header that the text includes, directly or not, from a folder
/// that `options` (`-I`) name. Conditional includes count too. Headers from elsewhere belong to the
/// compiler. False if the headers are unknown: an include names a macro, or an option names further
/// headers.
bool addIncludes(CacheKey &key, std::string_view source, const std::vector<std::string> &options);

/// CUDA C++ text to device images, through NVRTC and the disk cache.
struct Compiled {
  std::vector<Image> images;        ///< one for each architecture
  std::vector<std::string> symbols; ///< of the kernels, in their order
};

/// Compiles the text for each of `options.archs`. `kernels` are C++ names; templates among them are
/// instantiated. Throws fairlead::Error: KernelArch, KernelNoArch, KernelCompile with the
/// compiler's whole log, KernelMissing, CacheFolder.
Compiled compileText(const std::string &source, const std::vector<std::string> &kernels,
                     const KernelOptions &options);

/// Throws fairlead::Error (LaunchText).
entry::LaunchPlan makePlan(const Signature &signature, const KernelLaunch &launch);

/// Sets the accesses of the kernels (`symbols`) to the tensors in `signature`: each may be written,
/// unless it is only read or the signature declares `out` or `inout`. A kernel only reads a tensor
/// whose parameter is declared as a pointer to const: in the mangled symbol, or in every
/// declaration of a CUDA C++ text among `sources`.
void noteWrites(Signature &signature, const entry::LaunchPlan &plan,
                const std::vector<std::string> &symbols, const std::vector<std::string> &sources);

} // namespace fairlead::kernels
