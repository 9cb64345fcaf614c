/// Fuzzes the reader of device images. What it accepts must be usable: parts lie inside the bytes
/// and their architectures parse.
#include "fairlead/cuda/Image.h"

#include <cstdint>
#include <cstdlib>

using namespace fairlead::cuda;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  ImageInfo info = readImage(bytes);
  if (info.parts.empty() == info.error.empty())
    std::abort();
  for (const ImagePart &part : info.parts) {
    if (part.offset > size || part.size > size - part.offset)
      std::abort();
    imageFit(part.arch, "sm_90a");
    for (const ImageKernel &kernel : part.kernels)
      if (kernel.name.size() > size || (!kernel.paramsKnown && !kernel.params.empty()))
        std::abort();
  }
  return 0;
}
