/// A kernel in CUDA C++, PTX or machine code, with a signature: together they are a function. Its
/// entry checks the arguments and launches the kernel; no wrapper is written, and nothing is
/// compiled at a call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Compile.h"
#include "tvm/ffi/function.h"

namespace fairlead {

/// How a kernel is launched. Extents and bytes are integer expressions over the signature's
/// symbols, `x.shape[0]`, `x.stride[0]` and integer scalars, in Python's syntax: + - * // %,
/// ceil_div(a, b), min(...), max(...). They are computed by each call, with 64 bits and overflow
/// checked.
struct KernelLaunch {
  std::vector<std::string> grid = {"1"};  ///< in blocks: one to three extents
  std::vector<std::string> block = {"1"}; ///< in threads
  std::vector<std::string> cluster;       ///< in blocks; empty: none
  std::string shared = "0";               ///< dynamic shared memory of a block, in bytes
  bool cooperative = false;               ///< the blocks may wait for each other
  bool programmatic = false;              ///< programmatic dependent launch
  /// The kernel's arguments in its order: tensors (passed as pointers), scalars (unchanged),
  /// integer expressions (as int64, or cast: `int32(n)`). Default: the tensors and scalars of the
  /// signature.
  std::optional<std::vector<std::string>> args;

  /// Reads `grid=(ceil_div(n, 256),), block=256, shared=4*n, cluster=(2, 1, 1), cooperative=True,
  /// programmatic=True, args=(x, y, int32(n))`, each part at most once. Throws fairlead::Error
  /// (ValueError) with the place marked.
  FAIRLEAD_API static KernelLaunch parse(std::string_view text);
};

struct KernelOptions {
  /// For CUDA C++: what to compile for, "sm_90a" (machine code) or "compute_90" (PTX), one image
  /// each. Empty: this machine's first GPU.
  std::vector<std::string> archs;
  std::vector<std::string> compilerOptions; ///< for CUDA C++: further options of NVRTC
  std::string sourceName = "kernel.cu";     ///< for CUDA C++: what messages call it
  std::string doc;                          ///< shown behind the signature
  bool cache = true; ///< keep what NVRTC and code generation make on disk (Cache.h)
};

/// Makes the artifact of a kernel. Throws fairlead::Error if a text or an image is invalid, or if
/// they do not agree. Safe from any thread.
///
/// `sources` are CUDA C++ texts (one), PTX texts, CUBINs and fatbins (any number, with one function
/// in all of them). The bytes determine the form. A device gets the image that fits it best.
///
/// `kernel` is the kernel's symbol, or its name in C++ (`scale<float>`). `{T}` in it stands for a
/// dtype variable of the signature: for the C++ type (`__half`) between angle brackets, else for
/// the dtype's name (`float16`).
FAIRLEAD_API std::shared_ptr<const Artifact> kernelArtifact(const std::vector<std::string> &sources,
                                                            const std::string &kernel,
                                                            const Signature &signature,
                                                            const KernelLaunch &launch,
                                                            const KernelOptions &options = {});

/// kernelArtifact as a function. Parses the texts with Signature::parse and KernelLaunch::parse.
FAIRLEAD_API tvm::ffi::Function kernel(const std::string &source, const std::string &kernel,
                                       std::string_view signature, std::string_view launch,
                                       const KernelOptions &options = {});

/// An artifact as a function: takes `DLTensor*`, `TensorView` or `Tensor` arguments, checks them,
/// and throws tvm::ffi::Error.
FAIRLEAD_API tvm::ffi::Function makeFunction(std::shared_ptr<const Artifact> artifact);

} // namespace fairlead
