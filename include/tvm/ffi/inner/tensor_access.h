/// Questions about a DLTensor, and the accessors that Tensor and TensorView share.
#ifndef TVM_FFI_INNER_TENSOR_ACCESS_H_
#define TVM_FFI_INNER_TENSOR_ACCESS_H_

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/error.h>

#include <optional>

namespace tvm {
namespace ffi {

/// Whether the device's `data` is an address that can be added to.
inline bool IsDirectAddressDevice(const DLDevice &device) {
  return device.device_type <= kDLCUDAHost || device.device_type == kDLCUDAManaged ||
         device.device_type == kDLROCM || device.device_type == kDLROCMHost;
}

/// Whether the elements lie row-major without gaps. Extents of 1 do not count; an empty tensor is
/// contiguous.
inline bool IsContiguous(const DLTensor &tensor) {
  if (!tensor.strides)
    return true;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    if (tensor.shape[i] == 0)
      return true;
  // Unsigned: hostile extents may overflow.
  uint64_t expected = 1;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    if (tensor.shape[i] == 1)
      continue;
    if (static_cast<uint64_t>(tensor.strides[i]) != expected)
      return false;
    expected *= static_cast<uint64_t>(tensor.shape[i]);
  }
  return true;
}

/// Whether the first element lies at a multiple of `alignment` bytes; where `data` is a handle, its
/// offset.
inline bool IsAligned(const DLTensor &tensor, size_t alignment) {
  if (alignment <= 1)
    return true;
  uintptr_t address = static_cast<uintptr_t>(tensor.byte_offset);
  if (IsDirectAddressDevice(tensor.device))
    address += reinterpret_cast<uintptr_t>(tensor.data);
  return address % alignment == 0;
}

/// Bytes of `numel` packed elements.
inline size_t GetDataSize(size_t numel, DLDataType dtype) {
  return (numel * dtype.bits * dtype.lanes + 7) / 8;
}

/// Bytes of a contiguous tensor of that shape.
inline size_t GetDataSize(const DLTensor &tensor) {
  size_t numel = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    numel *= static_cast<size_t>(tensor.shape[i]);
  return GetDataSize(numel, tensor.dtype);
}

namespace inner {
/// A DLTensor of the same data with other shape and strides, `elementOffset` elements further on.
inline DLTensor stridedView(const DLTensor &source, ShapeView shape, ShapeView strides,
                            std::optional<int64_t> elementOffset) {
  TVM_FFI_CHECK(shape.size() == strides.size(), ValueError)
      << "shape and strides must have the same size.";
  DLTensor view = source;
  view.shape = const_cast<int64_t *>(shape.data());
  view.strides = const_cast<int64_t *>(strides.data());
  view.ndim = static_cast<int32_t>(shape.size());
  int64_t elem_offset_as_i64 = elementOffset.value_or(0);
  TVM_FFI_ICHECK_GE(elem_offset_as_i64, 0);
  view.byte_offset += GetDataSize(static_cast<size_t>(elem_offset_as_i64), source.dtype);
  if (IsDirectAddressDevice(view.device)) {
    // Not as a pointer: an empty tensor may have none.
    view.data = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(view.data) +
                                         static_cast<uintptr_t>(view.byte_offset));
    view.byte_offset = 0;
  }
  return view;
}

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void throwBadDimension(int64_t dimension,
                                                                               int64_t rank) {
  throwAt("IndexError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
          concat("Index ", std::to_string(dimension), " out of bounds for tensor with ",
                 std::to_string(rank), " dimensions"));
}

/// The accessors. Derived has GetDLTensorPtr().
template <typename Derived> class TensorAccess {
public:
  /// The address without byte_offset.
  void *data_ptr() const { return tensor()->data; }
  DLDevice device() const { return tensor()->device; }
  int32_t ndim() const { return tensor()->ndim; }
  int32_t dim() const { return tensor()->ndim; }
  DLDataType dtype() const { return tensor()->dtype; }
  uint64_t byte_offset() const { return tensor()->byte_offset; }
  ShapeView shape() const { return ShapeView(tensor()->shape, rank()); }
  ShapeView sizes() const { return shape(); }
  /// Strides in elements. InternalError where the tensor has none.
  ShapeView strides() const {
    TVM_FFI_ICHECK(tensor()->strides != nullptr || tensor()->ndim == 0);
    return ShapeView(tensor()->strides, rank());
  }
  /// The extent of a dimension; negative ones count from the end. IndexError outside.
  int64_t size(int64_t dimension) const { return tensor()->shape[checkedDimension(dimension)]; }
  /// The stride of a dimension, in elements.
  int64_t stride(int64_t dimension) const { return strides()[checkedDimension(dimension)]; }
  int64_t numel() const { return shape().Product(); }
  bool IsContiguous() const { return ::tvm::ffi::IsContiguous(*tensor()); }
  bool is_contiguous() const { return IsContiguous(); }

private:
  const DLTensor *tensor() const { return static_cast<const Derived *>(this)->GetDLTensorPtr(); }
  size_t rank() const { return static_cast<size_t>(tensor()->ndim); }
  size_t checkedDimension(int64_t dimension) const {
    int64_t rank = tensor()->ndim;
    int64_t index = dimension < 0 ? dimension + rank : dimension;
    if (TVM_FFI_PREDICT_FALSE(index < 0 || index >= rank))
      throwBadDimension(dimension, rank);
    return static_cast<size_t>(index);
  }
};
} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_TENSOR_ACCESS_H_
