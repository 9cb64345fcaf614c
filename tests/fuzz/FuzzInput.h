/// Numbers out of a fuzzer's bytes, and what every target requires.
#ifndef FAIRLEAD_TESTS_FUZZ_FUZZINPUT_H_
#define FAIRLEAD_TESTS_FUZZ_FUZZINPUT_H_

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tvm/ffi/c_api.h"

/// Reads numbers from the front; 0 after the end.
class FuzzInput {
public:
  FuzzInput(const uint8_t *data, size_t size) : data(data), size(size) {}
  template <typename T> T take() {
    T value{};
    size_t count = std::min(sizeof(T), size);
    std::memcpy(&value, data, count);
    data += count;
    size -= count;
    return value;
  }
  /// Returns a number: mostly a small one, sometimes one at an end of the range.
  int64_t takeExtent() {
    auto choice = take<uint8_t>();
    if (choice < 192)
      return choice % 8;
    return choice < 224 ? take<int64_t>() : (choice & 1 ? INT64_MAX : INT64_MIN) >> (choice & 15);
  }
  bool empty() const { return size == 0; }

private:
  const uint8_t *data;
  size_t size;
};

inline void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "require: %s\n", what);
  std::abort();
}

/// Takes the error that a failed call must have left.
inline void takeError() {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  require(error != nullptr, "a failed call leaves an error");
  require(TVMFFIErrorGetCellPtr(error)->message.size > 0, "an error has a message");
  TVMFFIObjectDecRef(error);
}

#endif // FAIRLEAD_TESTS_FUZZ_FUZZINPUT_H_
