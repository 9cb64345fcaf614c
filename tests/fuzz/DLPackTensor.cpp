/// DLPack tensors of arbitrary fields: an error that leaves the tensor to its owner, or a Tensor
/// that answers questions and frees it once.
#include "FuzzInput.h"
#include "tvm/ffi/container/tensor.h"

using namespace tvm::ffi;

namespace {
struct Source {
  DLManagedTensorVersioned managed{};
  int64_t shape[8], strides[8];
  int frees = 0;
  char data[64];
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzInput input(data, size);
  Source source;
  for (int i = 0; i < 8; ++i) {
    source.shape[i] = input.takeExtent();
    source.strides[i] = input.takeExtent();
  }
  auto flags = input.take<uint8_t>();
  source.managed.version.major = flags & 1 ? input.take<uint32_t>() : 1;
  source.managed.flags = input.take<uint8_t>() & 7u;
  source.managed.manager_ctx = &source;
  source.managed.deleter = [](DLManagedTensorVersioned *self) {
    ++static_cast<Source *>(self->manager_ctx)->frees;
  };
  DLTensor &tensor = source.managed.dl_tensor;
  tensor.data = flags & 2 ? nullptr : source.data;
  tensor.device = {static_cast<DLDeviceType>(input.take<uint8_t>() % 19), input.take<int32_t>()};
  // A rank that is too large for the arrays is one that the library must refuse.
  auto rank = input.take<uint8_t>();
  tensor.ndim = rank < 200 ? rank % 9 : rank < 228 ? -int32_t(rank) : INT32_MAX - rank;
  tensor.dtype = input.take<DLDataType>();
  tensor.shape = flags & 4 ? nullptr : source.shape;
  tensor.strides = flags & 8 ? nullptr : source.strides;
  tensor.byte_offset = flags & 16 ? input.take<uint64_t>() : input.take<uint8_t>();
  int32_t alignment = flags & 32 ? input.take<int32_t>() : 0;
  TVMFFIObjectHandle handle = nullptr;
  if (TVMFFITensorFromDLPackVersioned(&source.managed, alignment, flags & 64, &handle) != 0) {
    takeError();
    require(source.frees == 0, "a refused tensor is its owner's");
    return 0;
  }
  {
    Tensor made(
        detail::ObjectUnsafe::ObjectPtrFromOwned<TensorObj>(static_cast<TVMFFIObject *>(handle)));
    require(made.ndim() == tensor.ndim && made.numel() >= 0, "the tensor is the one handed in");
    made.IsContiguous();
    made.IsAligned(16);
    GetDataSize(made);
    require(made.strides().size() == static_cast<size_t>(made.ndim()), "strides are there");
    try {
      Tensor view = made.as_strided(made.shape(), made.strides(), input.take<uint8_t>());
      require(view.numel() == made.numel(), "a view of the same shape");
    } catch (const Error &) {
    }
    DLManagedTensor *shared = made.ToDLPack();
    shared->deleter(shared);
  }
  require(source.frees == 1, "a tensor is freed once");
  return 0;
}
