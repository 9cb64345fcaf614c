/// Fatbin: containers, one after another, each of a 16-byte header and parts for single
/// architectures.
#include "runtime/cuda/image/Readers.h"

namespace fairlead::cuda::image {
namespace {

constexpr uint32_t kMagic = 0xba55ed50;
constexpr uint64_t kContainerHeader = 16, kPartHeader = 64;
constexpr uint16_t kKindPtx = 1, kKindCubin = 2;
constexpr uint64_t kCompressed = 0xa000; // either way of packing
constexpr uint64_t kAcceleratorArch = 0x100000, kFamilyArch = 0x200000;

Failed cutOff(const char *what, uint64_t end, uint64_t size) {
  return {std::string("the fatbin is cut off: ") + what + " ends at byte " + std::to_string(end) +
          ", but there are " + std::to_string(size)};
}

/// The part at `at`, whose header is inside; its bytes are `content`.
Result<void> readPart(const Bytes &bytes, uint64_t at, std::string_view content, ImagePart &part) {
  uint64_t flags = bytes.read<uint64_t>(at + 40);
  std::string suffix = flags & kAcceleratorArch ? "a" : flags & kFamilyArch ? "f" : "";
  std::string number = std::to_string(bytes.read<uint32_t>(at + 28));
  bool ptx = bytes.read<uint16_t>(at) == kKindPtx;
  part.kind = ptx ? ImageKind::Ptx : ImageKind::Cubin;
  part.compressed = flags & kCompressed;
  if (!part.compressed)
    if (Result<void> read = ptx ? readPtx(content, part) : readCubin(content, part); !read)
      return Failed{"part of the fatbin for " + number + suffix + ": " + read.reason()};
  part.arch = (ptx ? "compute_" : "sm_") + number + suffix;
  return {};
}

} // namespace

bool isFatbin(std::string_view bytes) { return Bytes(bytes).read<uint32_t>(0) == kMagic; }

Result<void> readFatbin(std::string_view content, std::vector<ImagePart> &parts) {
  Bytes bytes(content);
  uint64_t at = 0;
  // The rest after the last container is padding.
  while (bytes.read<uint32_t>(at) == kMagic) {
    if (!bytes.has(at, kContainerHeader))
      return cutOff("a header", at + kContainerHeader, bytes.size());
    uint64_t header = bytes.read<uint16_t>(at + 6), size = bytes.read<uint64_t>(at + 8);
    if (header < kContainerHeader || !bytes.has(at, header) || !bytes.has(at + header, size))
      return cutOff("a container", size > bytes.size() ? size : at + header + size, bytes.size());
    uint64_t end = at + header + size;
    for (at += header; at < end;) {
      if (end - at < kPartHeader)
        return cutOff("a part's header", at + kPartHeader, end);
      uint16_t kind = bytes.read<uint16_t>(at);
      uint64_t partHeader = bytes.read<uint32_t>(at + 4), partSize = bytes.read<uint64_t>(at + 8);
      if (partHeader < kPartHeader || partHeader > end - at || partSize > end - at - partHeader)
        return cutOff("a part", partSize > end ? partSize : at + partHeader + partSize, end);
      ImagePart part;
      part.offset = at + partHeader;
      part.size = partSize;
      if (kind == kKindPtx || kind == kKindCubin) { // others are for the linker
        Result<void> read = readPart(bytes, at, bytes.slice(part.offset, partSize), part);
        if (!read)
          return read;
        parts.push_back(std::move(part));
      }
      at += partHeader + partSize;
    }
  }
  if (parts.empty())
    return Failed{"the fatbin holds neither a CUBIN nor PTX"};
  return {};
}

} // namespace fairlead::cuda::image
