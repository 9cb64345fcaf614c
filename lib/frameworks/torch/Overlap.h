/// Tests whether tensors have elements in common.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_TORCH_OVERLAP_H_
#define FAIRLEAD_LIB_FRAMEWORKS_TORCH_OVERLAP_H_

#include <cstdint>

#include "dlpack/dlpack.h"

namespace fairlead::frameworks::torch {

/// True if a byte belongs to elements of both tensors. Strides are 0 or more, as in torch. Returns
/// false if the search would take long.
bool haveCommonElements(const DLTensor &some, const DLTensor &other);

/// True if both have the same elements at the same places.
bool isSameTensor(const DLTensor &some, const DLTensor &other);

/// The first byte, and how many bytes there are up to the last one.
struct Span {
  explicit Span(const DLTensor &tensor)
      : begin(reinterpret_cast<uintptr_t>(tensor.data)), size(tensor.dtype.bits / 8) {
    uintptr_t last = 0;
    for (int i = 0; i < tensor.ndim; ++i) {
      if (!tensor.shape[i]) {
        size = 0;
        return;
      }
      last += static_cast<uintptr_t>(tensor.shape[i] - 1) * tensor.strides[i];
    }
    size += last * size;
  }
  bool meets(const Span &other) const {
    return size && other.size && begin < other.begin + other.size && other.begin < begin + size;
  }

  uintptr_t begin, size;
};

} // namespace fairlead::frameworks::torch
#endif // FAIRLEAD_LIB_FRAMEWORKS_TORCH_OVERLAP_H_
