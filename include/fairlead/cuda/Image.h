/// Readers of device images (CUBIN, fatbin, PTX). They read bytes only: no driver, no toolkit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Export.h"

namespace fairlead::cuda {

enum class ImageKind { Cubin, Ptx, Fatbin };

/// A parameter of a kernel as the image states it.
struct ImageParam {
  uint32_t offset = 0; ///< bytes from the start of the parameter block
  uint32_t size = 0;   ///< bytes
};

struct ImageKernel {
  std::string name;               ///< the symbol
  std::vector<ImageParam> params; ///< in order; meaningful when `paramsKnown`
  bool paramsKnown = false;
  int registers = -1;       ///< per thread; -1: the image does not say (PTX)
  int64_t sharedBytes = -1; ///< static shared memory of a block
  int64_t localBytes = -1;  ///< local memory of a thread
  int maxThreads = -1;      ///< of a block, where the kernel states a limit
};

/// One image for one architecture. A fatbin holds several.
struct ImagePart {
  ImageKind kind = ImageKind::Cubin; ///< Cubin or Ptx
  std::string arch;                  ///< "sm_90a"; of PTX "compute_90"
  std::vector<ImageKernel> kernels;  ///< empty if the part is compressed
  bool compressed = false;           ///< inside a fatbin, in a form that only the driver unpacks
  size_t offset = 0, size = 0;       ///< where in the bytes given
};

struct ImageInfo {
  ImageKind kind = ImageKind::Cubin;
  std::vector<ImagePart> parts;
  std::string error; ///< why the bytes are no valid image; "" when they are
};

/// Reads `bytes`, which may be hostile: every offset and count is checked, nothing is executed.
/// The ELF header of a CUBIN must be of NVIDIA's machine type and all its sections must lie inside
/// the bytes, so that a truncated file is an error here and not in the driver. Thread-safe; throws
/// nothing but std::bad_alloc.
FAIRLEAD_API ImageInfo readImage(std::string_view bytes);

/// Rates how well an image made for `imageArch` ("sm_90a", "compute_90") fits a device of
/// `deviceArch` ("sm_90a"): 0 does not run; 1 PTX that the driver compiles; 2 same major, lower
/// minor; 3 same family ("f"); 4 the same architecture.
FAIRLEAD_API int imageFit(std::string_view imageArch, std::string_view deviceArch);

/// Returns the indices of the images that run on a device of `deviceArch`, in the order to try
/// them.
FAIRLEAD_API std::vector<int> imagesFor(const std::vector<std::string> &imageArchs,
                                        std::string_view deviceArch);

} // namespace fairlead::cuda
