/// What can be told of a device image before the driver sees it: the driver takes a bare pointer
/// and reads as far as the image says, so one that is cut off must not reach it.
#ifndef TVM_FFI_EXTRA_CUDA_INTERNAL_IMAGE_CHECK_H_
#define TVM_FFI_EXTRA_CUDA_INTERNAL_IMAGE_CHECK_H_

#include <cstdint>
#include <cstring>
#include <string>

namespace tvm {
namespace ffi {
namespace inner {

/// The bytes of an image, of which nothing outside is read.
class DeviceImage {
public:
  DeviceImage(const void *data, size_t size) : data(static_cast<const char *>(data)), size(size) {}

  /// Why this cannot be an image, else "". Forms other than CUBIN and fatbin are for the driver to
  /// judge.
  std::string Problem() const {
    if (size == 0)
      return "the image is empty (0 bytes)";
    if (size >= 4 && std::memcmp(data, "\177ELF", 4) == 0)
      return CubinProblem();
    if (Read<uint32_t>(0) == 0xba55ed50)
      return FatbinProblem();
    return "";
  }

  /// Whether the driver reads it as text, up to a NUL.
  bool IsText() const {
    return Read<uint32_t>(0) != 0xba55ed50 && !(size >= 4 && std::memcmp(data, "\177ELF", 4) == 0);
  }

private:
  bool Has(uint64_t offset, uint64_t count) const {
    return offset <= size && count <= size - offset;
  }

  template <typename Number> Number Read(uint64_t offset) const {
    Number value = 0;
    if (Has(offset, sizeof(Number)))
      std::memcpy(&value, data + offset, sizeof(Number));
    return value;
  }

  std::string CutOff(const char *what) const {
    return std::string("the image is cut off: ") + what + " lies beyond its " +
           std::to_string(size) + " bytes";
  }

  std::string CubinProblem() const {
    if (!Has(0, 64))
      return CutOff("the ELF header");
    if (Read<uint8_t>(4) != 2 || Read<uint16_t>(18) != 190)
      return "the image is an ELF file for machine " + std::to_string(Read<uint16_t>(18)) +
             ", not a CUBIN (190)";
    uint64_t segments = Read<uint16_t>(54) * uint64_t(Read<uint16_t>(56));
    if (segments && !Has(Read<uint64_t>(32), segments))
      return CutOff("the program header table");
    uint64_t table = Read<uint64_t>(40), count = Read<uint16_t>(60);
    if (Read<uint16_t>(58) != 64 || table < 64 || !Has(table, 64))
      return CutOff("the section header table");
    if (count == 0) // does not fit 16 bits
      count = Read<uint64_t>(table + 32);
    if (count > size / 64 || !Has(table, count * 64))
      return CutOff("the section header table");
    for (uint64_t i = 1; i < count; ++i) {
      uint64_t header = table + i * 64;
      bool occupies = Read<uint32_t>(header + 4) != 8; // SHT_NOBITS
      if (occupies && !Has(Read<uint64_t>(header + 24), Read<uint64_t>(header + 32)))
        return CutOff("a section");
    }
    return "";
  }

  std::string FatbinProblem() const {
    uint64_t header = Read<uint16_t>(6), content = Read<uint64_t>(8);
    if (!Has(0, 16) || !Has(0, header) || !Has(header, content))
      return CutOff("part of the fatbin");
    return "";
  }

  const char *data;
  uint64_t size;
};

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_CUDA_INTERNAL_IMAGE_CHECK_H_
