/// Tensor and TensorView: a DLTensor, shared or lent.
#ifndef TVM_FFI_CONTAINER_TENSOR_H_
#define TVM_FFI_CONTAINER_TENSOR_H_

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/inner/tensor_access.h>
#include <tvm/ffi/inner/tensor_objects.h>
#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {

/// A tensor that is shared, or null.
class Tensor : public ObjectRef, public inner::TensorAccess<Tensor> {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Tensor, ObjectRef, TensorObj);

  /// Whether address and offset are multiples of `alignment` bytes.
  bool IsAligned(size_t alignment) const {
    return ::tvm::ffi::IsAligned(*GetDLTensorPtr(), alignment);
  }
  const DLTensor *GetDLTensorPtr() const { return get(); }

  /// A view with its own shape and strides (in elements) that starts `element_offset` elements in.
  /// Nothing checks that it stays inside the tensor.
  Tensor as_strided(ShapeView shape, ShapeView strides,
                    std::optional<int64_t> element_offset = std::nullopt) const {
    DLTensor prototype = inner::stridedView(*GetDLTensorPtr(), shape, strides, element_offset);
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorCreateUnsafeView(
        detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this), &prototype, &handle));
    return fromOwned(handle);
  }

  /// A DLPack tensor that shares the data; its deleter must be called.
  DLManagedTensor *ToDLPack() const { return get()->ToDLPack(); }
  DLManagedTensorVersioned *ToDLPackVersioned() const { return get()->ToDLPackVersioned(); }

  /// Takes a DLPack tensor over. Where it throws, the tensor still is the caller's.
  static Tensor FromDLPack(DLManagedTensor *tensor, size_t require_alignment = 0,
                           bool require_contiguous = false) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorFromDLPack(tensor, static_cast<int32_t>(require_alignment),
                                                   require_contiguous, &handle));
    return fromOwned(handle);
  }
  static Tensor FromDLPackVersioned(DLManagedTensorVersioned *tensor, size_t require_alignment = 0,
                                    bool require_contiguous = false) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorFromDLPackVersioned(
        tensor, static_cast<int32_t>(require_alignment), require_contiguous, &handle));
    return fromOwned(handle);
  }

  /// A contiguous tensor of an allocator with `AllocData(DLTensor *, extra...)` and
  /// `FreeData(DLTensor *)`. The tensor keeps a copy of the allocator.
  template <typename Allocator, typename... Extra>
  static Tensor FromNDAlloc(Allocator alloc, ShapeView shape, DLDataType dtype, DLDevice device,
                            Extra &&...extra) {
    return inner_alloc(std::move(alloc), shape, nullptr, dtype, device,
                       std::forward<Extra>(extra)...);
  }
  /// The same with strides of its own, in elements.
  template <typename Allocator, typename... Extra>
  static Tensor FromNDAllocStrided(Allocator alloc, ShapeView shape, ShapeView strides,
                                   DLDataType dtype, DLDevice device, Extra &&...extra) {
    TVM_FFI_CHECK(shape.size() == strides.size(), ValueError)
        << "shape and strides must have the same size.";
    return inner_alloc(std::move(alloc), shape, strides.data(), dtype, device,
                       std::forward<Extra>(extra)...);
  }
  /// A tensor of the environment's allocator: pass `TVMFFIEnvTensorAlloc`. The caller's framework
  /// owns it.
  static Tensor FromEnvAlloc(int (*env_alloc)(DLTensor *, TVMFFIObjectHandle *), ShapeView shape,
                             DLDataType dtype, DLDevice device) {
    DLTensor prototype{};
    prototype.device = device;
    prototype.dtype = dtype;
    prototype.shape = const_cast<int64_t *>(shape.data());
    prototype.ndim = static_cast<int32_t>(shape.size());
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(env_alloc(&prototype, &handle));
    return fromOwned(handle);
  }

private:
  template <typename Allocator, typename... Extra>
  static Tensor inner_alloc(Allocator alloc, ShapeView shape, const int64_t *strides,
                            DLDataType dtype, DLDevice device, Extra &&...extra) {
    return Tensor(ObjectPtr<TensorObj>(inner::makeAllocatedTensor(
        std::move(alloc), shape, strides, dtype, device, std::forward<Extra>(extra)...)));
  }
  static Tensor fromOwned(TVMFFIObjectHandle handle) {
    return Tensor(
        detail::ObjectUnsafe::ObjectPtrFromOwned<TensorObj>(static_cast<TVMFFIObject *>(handle)));
  }
};

namespace inner {
[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void throwNullTensor() {
  throwAt("InternalError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
          "Check failed: (tensor != nullptr) is false: ");
}
} // namespace inner

/// A tensor that is lent: a copy of its DLTensor. For parameters; it cannot be kept.
class TensorView : public inner::TensorAccess<TensorView> {
public:
  TensorView(const Tensor &tensor) { // NOLINT(*)
    TVM_FFI_ICHECK(tensor.defined());
    tensor_ = *tensor.GetDLTensorPtr();
  }
  TensorView(const DLTensor *tensor) { // NOLINT(*)
    if (TVM_FFI_PREDICT_FALSE(!tensor))
      inner::throwNullTensor();
    tensor_ = *tensor;
  }
  TensorView(const TensorView &) = default;
  TensorView(TensorView &&) = default;
  TensorView &operator=(const TensorView &) = default;
  TensorView &operator=(TensorView &&) = default;
  TensorView &operator=(const Tensor &tensor) { return *this = TensorView(tensor); }
  // The tensor would be gone before the view.
  TensorView(Tensor &&) = delete;
  TensorView &operator=(Tensor &&) = delete;

  const DLTensor *GetDLTensorPtr() const { return &tensor_; }

  /// Tensor::as_strided. The shape and strides are borrowed, too.
  TensorView as_strided(ShapeView shape, ShapeView strides,
                        std::optional<int64_t> element_offset = std::nullopt) const {
    DLTensor view = inner::stridedView(tensor_, shape, strides, element_offset);
    return TensorView(&view);
  }

private:
  DLTensor tensor_;
};
static_assert(sizeof(TensorView) == 48 && sizeof(Tensor) == 8, "layout of Tensor and TensorView");

inline size_t GetDataSize(const Tensor &tensor) { return GetDataSize(*tensor.GetDLTensorPtr()); }
inline size_t GetDataSize(const TensorView &tensor) {
  return GetDataSize(*tensor.GetDLTensorPtr());
}

template <> inline constexpr bool use_default_type_traits_v<Tensor> = false;

template <> struct TypeTraits<Tensor> : ObjectRefTypeTraitsBase<Tensor> {
  static constexpr int32_t field_static_type_index = kTVMFFITensor;
};

namespace inner {
template <typename T> struct TensorViewTraits : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static constexpr int32_t field_static_type_index = kTVMFFIDLTensorPtr;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    setPointer(kTVMFFIDLTensorPtr, src.GetDLTensorPtr(), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIDLTensorPtr; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    return T(static_cast<const DLTensor *>(src->v_ptr));
  }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIDLTensorPtr)
      return CopyFromAnyViewAfterCheck(src);
    if (src->type_index == kTVMFFITensor)
      return T(TVMFFITensorGetDLTensorPtr(src->v_obj));
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIDLTensorPtr; }
  static std::string TypeSchema() { return atomSchema("DLTensor*"); }
};
} // namespace inner

template <> struct TypeTraits<TensorView> : inner::TensorViewTraits<TensorView> {};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_TENSOR_H_
