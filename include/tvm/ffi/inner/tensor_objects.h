/// The object behind a Tensor, and the one that a C++ allocator's tensor is.
#ifndef TVM_FFI_INNER_TENSOR_OBJECTS_H_
#define TVM_FFI_INNER_TENSOR_OBJECTS_H_

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/memory.h>

#include <utility>

namespace tvm {
namespace ffi {

/// A DLTensor with a header. Subclasses say who owns the data.
class TensorObj : public Object, public DLTensor {
public:
  /// Tensor::ToDLPack and Tensor::ToDLPackVersioned of this object.
  DLManagedTensor *ToDLPack() const {
    DLManagedTensor *result = nullptr;
    if (TVMFFITensorToDLPack(detail::ObjectUnsafe::GetHeader(this), &result) != 0)
      throw detail::MoveFromSafeCallRaised();
    return result;
  }
  DLManagedTensorVersioned *ToDLPackVersioned() const {
    DLManagedTensorVersioned *result = nullptr;
    if (TVMFFITensorToDLPackVersioned(detail::ObjectUnsafe::GetHeader(this), &result) != 0)
      throw detail::MoveFromSafeCallRaised();
    return result;
  }

  static constexpr int32_t _type_index = kTVMFFITensor;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFITensor, TensorObj, Object)

protected:
  TensorObj() : DLTensor{} {}
};
static_assert(sizeof(TensorObj) == 72, "layout of Tensor");

namespace inner {
/// A tensor of an allocator, which it keeps to free the data. Shape and strides lie right after it.
template <typename Allocator> class AllocatedTensorObj : public TensorObj {
public:
  template <typename... Extra>
  AllocatedTensorObj(Allocator alloc, ShapeView extents, const int64_t *elementStrides,
                     DLDataType dtype, DLDevice device, Extra &&...extra)
      : alloc(std::move(alloc)) {
    this->device = device;
    this->dtype = dtype;
    this->ndim = static_cast<int32_t>(extents.size());
    this->shape = reinterpret_cast<int64_t *>(this + 1);
    this->strides = this->shape + extents.size();
    std::copy(extents.begin(), extents.end(), this->shape);
    if (elementStrides)
      std::copy(elementStrides, elementStrides + extents.size(), this->strides);
    else
      fillContiguousStrides(extents.data(), extents.size(), this->strides);
    this->alloc.AllocData(static_cast<DLTensor *>(this), std::forward<Extra>(extra)...);
  }
  ~AllocatedTensorObj() { alloc.FreeData(static_cast<DLTensor *>(this)); }

private:
  Allocator alloc;
};

template <typename Allocator, typename... Extra>
ObjectPtr<AllocatedTensorObj<Allocator>>
makeAllocatedTensor(Allocator alloc, ShapeView shape, const int64_t *strides, DLDataType dtype,
                    DLDevice device, Extra &&...extra) {
  for (size_t i = 0; i < shape.size(); ++i)
    TVM_FFI_CHECK_GE(shape[i], 0, ValueError) << "extent " << i << " of the tensor is negative";
  return make_inplace_array_object<AllocatedTensorObj<Allocator>, int64_t>(
      2 * shape.size(), std::move(alloc), shape, strides, dtype, device,
      std::forward<Extra>(extra)...);
}
} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_TENSOR_OBJECTS_H_
