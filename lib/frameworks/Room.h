/// Small helpers of kernels that frameworks call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fairlead::frameworks {

/// Memory for a few things on the stack, and for more on the heap.
template <typename T, size_t kCount> class Room {
public:
  /// Uninitialised on the stack. To be called once.
  T *take(size_t count) {
    if (count <= kCount)
      return inPlace;
    beyond.resize(count);
    return beyond.data();
  }

private:
  T inPlace[kCount];
  std::vector<T> beyond;
};

/// One extent; moves `code` behind it. `symbol(i)` is the value of a symbol.
template <typename Symbol> int64_t evaluate(const int64_t *&code, Symbol &&symbol) {
  int64_t value = *code++, count = *code++;
  while (count-- > 0)
    value *= symbol(*code++);
  return value;
}

} // namespace fairlead::frameworks
