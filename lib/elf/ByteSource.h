/// Bytes of known length that are read piece by piece: of memory or of a file.
#ifndef FAIRLEAD_LIB_ELF_BYTESOURCE_H_
#define FAIRLEAD_LIB_ELF_BYTESOURCE_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace fairlead::elf {

class ByteSource {
public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  /// Copies `count` bytes from `offset`; false when they cannot be read.
  virtual bool read(uint64_t offset, void *out, size_t count) const = 0;

  /// `count` bytes from `offset`, which live as long as the source, or as `buffer` where they have
  /// to be copied. nullopt when they cannot be read.
  virtual std::optional<std::string_view> view(uint64_t offset, uint64_t count,
                                               std::string &buffer) const {
    if (!has(offset, count))
      return std::nullopt;
    buffer.resize(count);
    if (!read(offset, buffer.data(), count))
      return std::nullopt;
    return buffer;
  }

  /// True if [offset, offset + count) is inside.
  bool has(uint64_t offset, uint64_t count) const {
    return offset <= size() && count <= size() - offset;
  }
};

/// Memory that the caller keeps.
class MemorySource final : public ByteSource {
public:
  explicit MemorySource(std::string_view bytes) : bytes(bytes) {}

  uint64_t size() const override { return bytes.size(); }
  bool read(uint64_t offset, void *out, size_t count) const override {
    if (!has(offset, count))
      return false;
    if (count > 0)
      std::memcpy(out, bytes.data() + offset, count);
    return true;
  }
  std::optional<std::string_view> view(uint64_t offset, uint64_t count,
                                       std::string &) const override {
    if (!has(offset, count))
      return std::nullopt;
    return bytes.substr(offset, count);
  }

private:
  std::string_view bytes;
};

} // namespace fairlead::elf
#endif // FAIRLEAD_LIB_ELF_BYTESOURCE_H_
