/// Reading of bytes that may be hostile.
#ifndef FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_BYTES_H_
#define FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_BYTES_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace fairlead::cuda::image {

/// A stretch of little-endian bytes. Nothing outside it is ever read.
class Bytes {
public:
  explicit Bytes(std::string_view data) : data(data) {}

  uint64_t size() const { return data.size(); }

  bool has(uint64_t offset, uint64_t count) const {
    return offset <= data.size() && count <= data.size() - offset;
  }

  /// The number at `offset`; 0 when it is not wholly inside, so ask has() where that matters.
  template <typename Number> Number read(uint64_t offset) const {
    static_assert(std::is_unsigned_v<Number>);
    Number value = 0;
    if (has(offset, sizeof(Number)))
      std::memcpy(&value, data.data() + offset, sizeof(Number));
    return value;
  }

  /// Returns the part of the range that is inside.
  std::string_view slice(uint64_t offset, uint64_t count) const {
    return offset <= data.size() ? data.substr(offset, count) : std::string_view();
  }

private:
  std::string_view data;
};

} // namespace fairlead::cuda::image
#endif // FAIRLEAD_LIB_RUNTIME_CUDA_IMAGE_BYTES_H_
