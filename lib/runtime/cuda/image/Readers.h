/// One reader for each form of device image.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/Result.h"
#include "fairlead/cuda/Image.h"

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

bool isFatbin(std::string_view bytes);

/// Each fills kind, arch and kernels of `part` from all of `bytes`.
Result<void> readCubin(std::string_view bytes, ImagePart &part);
Result<void> readPtx(std::string_view text, ImagePart &part);

/// Appends the parts of a fatbin.
Result<void> readFatbin(std::string_view bytes, std::vector<ImagePart> &parts);

} // namespace fairlead::cuda::image
