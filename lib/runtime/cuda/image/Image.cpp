#include "fairlead/cuda/Image.h"

#include "elf/Reader.h"
#include "runtime/cuda/Arch.h"
#include "runtime/cuda/image/Readers.h"

namespace fairlead::cuda {
namespace {

ImageInfo readSingle(ImageKind kind, std::string_view bytes) {
  ImageInfo info;
  info.kind = kind;
  ImagePart part;
  part.size = bytes.size();
  if (Result<void> read =
          kind == ImageKind::Cubin ? image::readCubin(bytes, part) : image::readPtx(bytes, part);
      read)
    info.parts.push_back(std::move(part));
  else
    info.error = read.reason();
  return info;
}

} // namespace

ImageInfo readImage(std::string_view bytes) {
  if (bytes.empty()) {
    ImageInfo info;
    info.error = "the image is empty (0 bytes)";
    return info;
  }
  if (elf::isElf(bytes))
    return readSingle(ImageKind::Cubin, bytes);
  if (!image::isFatbin(bytes))
    return readSingle(ImageKind::Ptx, bytes);
  ImageInfo info;
  info.kind = ImageKind::Fatbin;
  if (Result<void> read = image::readFatbin(bytes, info.parts); !read) {
    info.error = read.reason();
    info.parts.clear();
  }
  return info;
}

int imageFit(std::string_view imageArch, std::string_view deviceArch) {
  auto image = parseImageArch(imageArch), device = parseImageArch(deviceArch);
  if (!image || !device || !runsOn(*image, device->arch))
    return 0;
  if (image->ptx)
    return 1;
  if (image->arch.minor == device->arch.minor)
    return 4;
  return image->arch.suffix == 'f' ? 3 : 2;
}

std::vector<int> imagesFor(const std::vector<std::string> &imageArchs,
                           std::string_view deviceArch) {
  auto device = parseImageArch(deviceArch);
  return device ? rankImages(imageArchs, device->arch) : std::vector<int>();
}

} // namespace fairlead::cuda
