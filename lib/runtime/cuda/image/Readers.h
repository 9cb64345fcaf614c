/// One reader for each form of device image.
#ifndef FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_READERS_H_
#define FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_READERS_H_

#include <string>
#include <string_view>

#include "fairlead/cuda/Image.h"

namespace fairlead::cuda::image {

bool isFatbin(std::string_view bytes);

/// Each fills kind, arch and kernels of `part` from all of `bytes`, and returns why it cannot, else
/// "".
std::string readCubin(std::string_view bytes, ImagePart &part);
std::string readPtx(std::string_view text, ImagePart &part);

/// Appends the parts of a fatbin; returns why they cannot be read, else "".
std::string readFatbin(std::string_view bytes, std::vector<ImagePart> &parts);

} // namespace fairlead::cuda::image
#endif // FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_READERS_H_
