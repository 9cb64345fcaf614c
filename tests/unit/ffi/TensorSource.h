/// DLPack tensors for tests, which count how often they are freed.
#ifndef FAIRLEAD_TESTS_FFI_TENSORSOURCE_H_
#define FAIRLEAD_TESTS_FFI_TENSORSOURCE_H_

#include <utility>
#include <vector>

#include "dlpack/dlpack.h"

/// Float32 data on the CPU, as a DLPack tensor of type Managed.
template <typename Managed> struct TensorSource {
  std::vector<float> data;
  std::vector<int64_t> shape, strides;
  int frees = 0;
  Managed managed{};

  explicit TensorSource(std::vector<int64_t> extents, std::vector<int64_t> elementStrides = {})
      : shape(std::move(extents)), strides(std::move(elementStrides)) {
    size_t numel = 1;
    for (int64_t extent : shape)
      numel *= static_cast<size_t>(extent);
    data.assign(numel ? 2 * numel : 1, 0.0f);
    managed.dl_tensor.data = data.data();
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.dtype = {kDLFloat, 32, 1};
    managed.dl_tensor.ndim = static_cast<int32_t>(shape.size());
    managed.dl_tensor.shape = shape.empty() ? nullptr : shape.data();
    managed.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
    managed.manager_ctx = this;
    managed.deleter = [](Managed *self) {
      ++static_cast<TensorSource *>(self->manager_ctx)->frees;
    };
    setVersion(managed);
  }
  TensorSource(const TensorSource &) = delete;

private:
  static void setVersion(DLManagedTensor &) {}
  static void setVersion(DLManagedTensorVersioned &tensor) { tensor.version = {1, 3}; }
};

#endif // FAIRLEAD_TESTS_FFI_TENSORSOURCE_H_
