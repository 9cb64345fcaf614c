#include "dispatch/Overlap.h"

#include <algorithm>
#include <cstdlib>

using namespace fairlead::python;

namespace {

int64_t bytesOfElement(const DLTensor &tensor) {
  return (static_cast<int64_t>(tensor.dtype.bits) * tensor.dtype.lanes + 7) / 8;
}

uintptr_t addressOf(const DLTensor &tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
}

bool isEmpty(const DLTensor &tensor) {
  return std::any_of(tensor.shape, tensor.shape + tensor.ndim,
                     [](int64_t extent) { return extent == 0; });
}

/// The bytes of a tensor's part within one row of `pitch` bytes; 0 if it is not the same part of
/// every row.
int64_t bytesOfRow(const DLTensor &tensor, int64_t pitch) {
  const int64_t size = bytesOfElement(tensor);
  int64_t width = size, step = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    const int64_t stride = std::abs((tensor.strides ? tensor.strides[i] : step) * size);
    step *= tensor.shape[i];
    if (tensor.shape[i] == 1)
      continue;
    if (stride < pitch)
      width += (tensor.shape[i] - 1) * stride;
    else if (stride % pitch)
      return 0;
  }
  return width <= pitch ? width : 0;
}

/// True if the tensors are different columns of rows of `pitch` bytes.
bool areDifferentColumns(const DLTensor &first, const DLTensor &second, uintptr_t distance,
                         int64_t pitch) {
  const int64_t width = bytesOfRow(first, pitch), other = bytesOfRow(second, pitch);
  const auto offset = static_cast<int64_t>(distance % pitch);
  return width && other && offset >= width && offset + other <= pitch;
}

} // namespace

bool fairlead::python::mayShareBytes(const DLTensor &first, const DLTensor &second) {
  if (isEmpty(first) || isEmpty(second))
    return false;
  const uintptr_t begin = ByteRange(first).begin, other = ByteRange(second).begin;
  const bool isFirst = begin <= other;
  const DLTensor &lower = isFirst ? first : second, &upper = isFirst ? second : first;
  const uintptr_t distance = isFirst ? other - begin : begin - other;
  for (int i = 0; first.strides && i < first.ndim; ++i) {
    const int64_t pitch = std::abs(first.strides[i]) * bytesOfElement(first);
    if (first.shape[i] > 1 && pitch && areDifferentColumns(lower, upper, distance, pitch))
      return false;
  }
  return true;
}

bool fairlead::python::areSameElements(const DLTensor &first, const DLTensor &second) {
  if (addressOf(first) != addressOf(second) || first.ndim != second.ndim ||
      bytesOfElement(first) != bytesOfElement(second))
    return false;
  int64_t step = 1;
  for (int i = first.ndim - 1; i >= 0; --i) {
    const int64_t extent = first.shape[i];
    const int64_t stride = first.strides ? first.strides[i] : step;
    const int64_t other = second.strides ? second.strides[i] : step;
    if (extent != second.shape[i] || (extent > 1 && stride != other))
      return false;
    step *= extent;
  }
  return true;
}
