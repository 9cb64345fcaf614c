/// One reader for each form of device image.
#ifndef FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_READERS_H_
#define FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_READERS_H_

#include <string>
#include <string_view>

#include "base/Result.h"
#include "fairlead/cuda/Image.h"

namespace fairlead::cuda::image {

bool isFatbin(std::string_view bytes);

/// Each fills kind, arch and kernels of `part` from all of `bytes`.
Result<void> readCubin(std::string_view bytes, ImagePart &part);
Result<void> readPtx(std::string_view text, ImagePart &part);

/// Appends the parts of a fatbin.
Result<void> readFatbin(std::string_view bytes, std::vector<ImagePart> &parts);

} // namespace fairlead::cuda::image
#endif // FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_READERS_H_
