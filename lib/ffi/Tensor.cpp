/// Tensors out of DLPack tensors, and the way back.
#include "tvm/ffi/container/tensor.h"
#include "Boundary.h"
#include "TensorCheck.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {

/// A tensor that a DLPack tensor of type Managed became. Shape, and strides where the producer gave
/// any, are the producer's; else the strides lie right after the object.
template <typename Managed> class DLPackTensorObj : public TensorObj {
public:
  explicit DLPackTensorObj(Managed *managed) : managed(managed) {
    static_cast<DLTensor &>(*this) = managed->dl_tensor;
    if (!strides && ndim > 0) {
      strides = reinterpret_cast<int64_t *>(this + 1);
      inner::fillContiguousStrides(shape, static_cast<size_t>(ndim), strides);
    }
  }
  ~DLPackTensorObj() {
    if (managed->deleter)
      managed->deleter(managed);
  }

private:
  Managed *managed;
};

/// A tensor with the data of another one. Shape and strides lie right after the object.
class ViewTensorObj : public TensorObj {
public:
  ViewTensorObj(ObjectPtr<Object> source, const DLTensor &prototype) : source(std::move(source)) {
    static_cast<DLTensor &>(*this) = prototype;
    shape = reinterpret_cast<int64_t *>(this + 1);
    strides = shape + ndim;
    std::copy(prototype.shape, prototype.shape + ndim, shape);
    std::copy(prototype.strides, prototype.strides + ndim, strides);
  }

private:
  ObjectPtr<Object> source;
};

template <typename Managed>
TVMFFIObject *fromDLPack(Managed *managed, int32_t alignment, bool contiguous) {
  const DLTensor &tensor = managed->dl_tensor;
  requireValidTensor(tensor, "FromDLPack", TensorPart::All);
  if (alignment > 0 && !IsAligned(tensor, static_cast<size_t>(alignment)))
    TVM_FFI_THROW(RuntimeError) << "FromDLPack: Data is not aligned to " << alignment << " bytes.";
  if (contiguous && !IsContiguous(tensor))
    TVM_FFI_THROW(RuntimeError) << "FromDLPack: Tensor is not contiguous.";
  size_t ownStrides = tensor.strides ? 0 : static_cast<size_t>(tensor.ndim);
  return detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
      make_inplace_array_object<DLPackTensorObj<Managed>, int64_t>(ownStrides, managed));
}

/// A DLPack tensor that holds a reference to a Tensor.
template <typename Managed> struct SharedTensor {
  Managed managed;
  ObjectPtr<Object> tensor;

  static Managed *make(TVMFFIObjectHandle from) {
    auto *shared = new SharedTensor{};
    shared->tensor =
        detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(static_cast<TVMFFIObject *>(from));
    shared->managed.dl_tensor = *TVMFFITensorGetDLTensorPtr(from);
    shared->managed.manager_ctx = shared;
    shared->managed.deleter = [](Managed *self) {
      delete static_cast<SharedTensor *>(self->manager_ctx);
    };
    return &shared->managed;
  }
};

void requireTensor(TVMFFIObjectHandle handle, const char *function, const char *argument) {
  requireArgument(handle, function, argument);
  int32_t index = TVMFFIObjectGetTypeIndex(handle);
  if (!detail::IsObjectInstance<TensorObj>(index))
    TVM_FFI_THROW(TypeError) << function << ": expected `ffi.Tensor` but got `"
                             << TypeIndexToTypeKey(index) << "`";
}

} // namespace

int TVMFFITensorFromDLPack(DLManagedTensor *from, int32_t require_alignment,
                           int32_t require_contiguous, TVMFFIObjectHandle *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(from, "TVMFFITensorFromDLPack", "from");
  requireArgument(out, "TVMFFITensorFromDLPack", "out");
  *out = fromDLPack(from, require_alignment, require_contiguous != 0);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned *from, int32_t require_alignment,
                                    int32_t require_contiguous, TVMFFIObjectHandle *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(from, "TVMFFITensorFromDLPackVersioned", "from");
  requireArgument(out, "TVMFFITensorFromDLPackVersioned", "out");
  if (from->version.major != DLPACK_MAJOR_VERSION)
    TVM_FFI_THROW(RuntimeError) << "FromDLPack: DLPack version is " << from->version.major << "."
                                << from->version.minor << ", but " << DLPACK_MAJOR_VERSION
                                << ".x is expected";
  if (from->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED)
    TVM_FFI_THROW(RuntimeError) << "Subbyte type padded is not yet supported";
  *out = fromDLPack(from, require_alignment, require_contiguous != 0);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor **out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireTensor(from, "TVMFFITensorToDLPack", "from");
  requireArgument(out, "TVMFFITensorToDLPack", "out");
  *out = SharedTensor<DLManagedTensor>::make(from);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from, DLManagedTensorVersioned **out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireTensor(from, "TVMFFITensorToDLPackVersioned", "from");
  requireArgument(out, "TVMFFITensorToDLPackVersioned", "out");
  DLManagedTensorVersioned *managed = SharedTensor<DLManagedTensorVersioned>::make(from);
  managed->version = DLPackVersion{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed->flags = 0;
  *out = managed;
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor *prototype,
                                 TVMFFIObjectHandle *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireTensor(source, "TVMFFITensorCreateUnsafeView", "source");
  requireArgument(prototype, "TVMFFITensorCreateUnsafeView", "prototype");
  requireValidTensor(*prototype, "TVMFFITensorCreateUnsafeView", TensorPart::Shape);
  if (prototype->ndim > 0)
    requireArgument(prototype->strides, "TVMFFITensorCreateUnsafeView", "prototype->strides");
  requireArgument(out, "TVMFFITensorCreateUnsafeView", "out");
  *out = detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
      make_inplace_array_object<ViewTensorObj, int64_t>(
          2 * static_cast<size_t>(prototype->ndim),
          detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(static_cast<TVMFFIObject *>(source)),
          *prototype));
  TVM_FFI_SAFE_CALL_END();
}
