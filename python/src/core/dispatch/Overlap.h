/// Which bytes two tensors have in common.
#pragma once

#include <cstdint>

#include <dlpack/dlpack.h>

namespace fairlead::python {

/// Addresses of a tensor, from its first byte to behind the last one.
struct ByteRange {
  uintptr_t begin, end;

  explicit ByteRange(const DLTensor &tensor) {
    int64_t low = 0, high = 1, step = 1;
    for (int i = tensor.ndim - 1; i >= 0; --i) {
      const int64_t last = (tensor.shape[i] - 1) * (tensor.strides ? tensor.strides[i] : step);
      (last < 0 ? low : high) += last;
      step *= tensor.shape[i];
    }
    const int64_t size = (static_cast<int64_t>(tensor.dtype.bits) * tensor.dtype.lanes + 7) / 8;
    const uintptr_t address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
    begin = address + low * size;
    end = address + high * size;
  }

  bool meets(const ByteRange &other) const { return begin < other.end && other.begin < end; }
};

/// True unless tensors, whose ranges meet, certainly have no byte in common: one has no elements,
/// or they are different columns of equally long rows.
bool mayShareBytes(const DLTensor &first, const DLTensor &second);

/// True if the tensors have the same elements at the same coordinates.
bool areSameElements(const DLTensor &first, const DLTensor &second);

} // namespace fairlead::python
