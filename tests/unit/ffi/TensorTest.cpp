/// Tensors: DLPack both ways with ownership, allocators, views, and what hostile tensors give.
#include <gtest/gtest.h>

#include <functional>

#include "TensorSource.h"
#include "ThrownMessage.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

int liveAllocations = 0;
struct CpuAllocator {
  bool fail = false;
  void AllocData(DLTensor *tensor) {
    if (fail)
      TVM_FFI_THROW(MemoryError) << "none left";
    tensor->data = std::malloc(GetDataSize(*tensor));
    ++liveAllocations;
  }
  void FreeData(DLTensor *tensor) {
    std::free(tensor->data);
    --liveAllocations;
  }
};

constexpr DLDataType kFloat32{kDLFloat, 32, 1};
constexpr DLDevice kCpu{kDLCPU, 0};

Tensor take(DLManagedTensor *managed, size_t alignment = 0, bool contiguous = false) {
  return Tensor::FromDLPack(managed, alignment, contiguous);
}
Tensor take(DLManagedTensorVersioned *managed, size_t alignment = 0, bool contiguous = false) {
  return Tensor::FromDLPackVersioned(managed, alignment, contiguous);
}

} // namespace

template <typename Managed> class FromDLPack : public testing::Test {};
using ManagedTypes = testing::Types<DLManagedTensor, DLManagedTensorVersioned>;
TYPED_TEST_SUITE(FromDLPack, ManagedTypes, );

TYPED_TEST(FromDLPack, TakesTheTensorOver) {
  TensorSource<TypeParam> source({2, 3});
  {
    Tensor tensor = take(&source.managed);
    EXPECT_EQ(tensor.data_ptr(), source.data.data());
    EXPECT_EQ(tensor.ndim(), 2);
    EXPECT_EQ(tensor.size(-1), 3);
    EXPECT_EQ(tensor.stride(0), 3); // filled in
    EXPECT_EQ(tensor.stride(1), 1);
    EXPECT_EQ(tensor.numel(), 6);
    EXPECT_TRUE(tensor.IsContiguous());
    Tensor copy = tensor;
    EXPECT_EQ(source.frees, 0);
  }
  EXPECT_EQ(source.frees, 1);
}

TYPED_TEST(FromDLPack, LeavesARefusedTensorToTheCaller) {
  TensorSource<TypeParam> strided({2, 3}, {1, 2});
  EXPECT_EQ(messageOf([&] { take(&strided.managed, 0, true); }, "RuntimeError"),
            "FromDLPack: Tensor is not contiguous.");
  TensorSource<TypeParam> odd({4});
  odd.managed.dl_tensor.byte_offset = 2;
  EXPECT_EQ(messageOf([&] { take(&odd.managed, 4); }, "RuntimeError"),
            "FromDLPack: Data is not aligned to 4 bytes.");
  TensorSource<TypeParam> negative({4});
  negative.shape[0] = -4;
  EXPECT_EQ(messageOf([&] { take(&negative.managed); }, "ValueError"),
            "FromDLPack: extent 0 is -4, but at least 0 is expected");
  TensorSource<TypeParam> shapeless({4});
  shapeless.managed.dl_tensor.shape = nullptr;
  messageOf([&] { take(&shapeless.managed); }, "ValueError");
  messageOf([&] { take(static_cast<TypeParam *>(nullptr)); }, "ValueError");
  EXPECT_EQ(strided.frees + odd.frees + negative.frees + shapeless.frees, 0);
}

TYPED_TEST(FromDLPack, NamesTheFieldThatMakesNoSense) {
  TensorSource<TypeParam> source({2, 3}, {3, 1});
  const DLTensor good = source.managed.dl_tensor;
  auto refused = [&](const std::function<void(DLTensor &)> &spoil) {
    source.managed.dl_tensor = good;
    source.shape = {2, 3};
    source.strides = {3, 1};
    spoil(source.managed.dl_tensor);
    return messageOf([&] { take(&source.managed); }, "ValueError");
  };
  EXPECT_EQ(refused([](DLTensor &t) { t.ndim = -1; }),
            "FromDLPack: ndim is -1, but at least 0 is expected");
  EXPECT_EQ(refused([](DLTensor &t) { t.ndim = INT32_MAX; }),
            "FromDLPack: ndim is 2147483647, but at most 4096 is expected");
  EXPECT_EQ(refused([](DLTensor &t) { t.shape = nullptr; }),
            "FromDLPack: shape is a null pointer, but 2 extents are expected");
  EXPECT_EQ(refused([](DLTensor &t) { t.data = nullptr; }),
            "FromDLPack: data is a null pointer, but the tensor has 6 elements");
  EXPECT_EQ(refused([](DLTensor &t) { t.shape[0] = INT64_MAX; }),
            "FromDLPack: shape and dtype make more bytes than an address can count");
  EXPECT_EQ(refused([](DLTensor &t) { t.shape[0] = t.shape[1] = int64_t(1) << 33; }),
            "FromDLPack: shape and dtype make more bytes than an address can count");
  EXPECT_EQ(refused([](DLTensor &t) { t.strides[1] = INT64_MIN; }),
            "FromDLPack: stride 1 is -9223372036854775808, which reaches beyond all addresses "
            "with extent 3");
  EXPECT_EQ(refused([](DLTensor &t) { t.byte_offset = ~uint64_t(0); }),
            "FromDLPack: byte_offset is 18446744073709551615, which is beyond all addresses");
  EXPECT_EQ(source.frees, 0);
  // Odd but right: no data for no elements, whatever the other fields say.
  source.managed.dl_tensor = good;
  source.managed.dl_tensor.data = nullptr;
  source.shape = {0, INT64_MAX};
  source.strides = {INT64_MAX, INT64_MIN};
  EXPECT_TRUE(take(&source.managed).IsContiguous());
}

TYPED_TEST(FromDLPack, TakesScalarsAndEmptyTensors) {
  TensorSource<TypeParam> scalar({});
  Tensor tensor = take(&scalar.managed, 0, true);
  EXPECT_EQ(tensor.numel(), 1);
  EXPECT_EQ(tensor.strides().size(), 0u);
  TensorSource<TypeParam> empty({3, 0}, {7, 9});
  EXPECT_TRUE(take(&empty.managed, 0, true).IsContiguous());
}

TEST(FromDLPackVersioned, LooksAtVersionAndFlags) {
  TensorSource<DLManagedTensorVersioned> padded({4}), future({4});
  padded.managed.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  EXPECT_EQ(messageOf([&] { take(&padded.managed); }, "RuntimeError"),
            "Subbyte type padded is not yet supported");
  future.managed.version.major = 2;
  EXPECT_EQ(messageOf([&] { take(&future.managed); }, "RuntimeError"),
            "FromDLPack: DLPack version is 2.3, but 1.x is expected");
}

TEST(ToDLPack, KeepsTheTensorAlive) {
  TensorSource<DLManagedTensor> source({2, 3});
  Tensor tensor = take(&source.managed);
  DLManagedTensor *plain = tensor.ToDLPack();
  DLManagedTensorVersioned *versioned = tensor.ToDLPackVersioned();
  EXPECT_EQ(tensor.use_count(), 3);
  EXPECT_EQ(versioned->version.major, 1u);
  EXPECT_EQ(versioned->version.minor, 3u);
  EXPECT_EQ(versioned->flags, 0u);
  EXPECT_EQ(plain->dl_tensor.shape[1], 3);
  tensor = Tensor();
  plain->deleter(plain);
  EXPECT_EQ(source.frees, 0);
  // And back again.
  tensor = take(versioned);
  EXPECT_EQ(tensor.data_ptr(), source.data.data());
  tensor = Tensor();
  EXPECT_EQ(source.frees, 1);
}

TEST(ToDLPack, RefusesWhatIsNoTensor) {
  String text("not a tensor at all");
  AnyView view = text;
  DLManagedTensor *out = nullptr;
  EXPECT_EQ(TVMFFITensorToDLPack(view.CopyToTVMFFIAny().v_obj, &out), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(),
            "TVMFFITensorToDLPack: expected `ffi.Tensor` but got `ffi.String`");
  EXPECT_EQ(TVMFFITensorToDLPack(nullptr, &out), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().kind(), "ValueError");
}

TEST(TensorAlloc, FreesWhatItAllocated) {
  {
    Tensor tensor = Tensor::FromNDAlloc(CpuAllocator(), {4, 5}, kFloat32, kCpu);
    EXPECT_EQ(tensor.stride(0), 5);
    EXPECT_EQ(GetDataSize(tensor), 80u);
    EXPECT_EQ(liveAllocations, 1);
    Tensor strided = Tensor::FromNDAllocStrided(CpuAllocator(), {4, 5}, {1, 4}, kFloat32, kCpu);
    EXPECT_FALSE(strided.IsContiguous());
  }
  EXPECT_EQ(liveAllocations, 0);
  messageOf([] { Tensor::FromNDAlloc(CpuAllocator{true}, {4}, kFloat32, kCpu); }, "MemoryError");
  EXPECT_EQ(liveAllocations, 0);
  EXPECT_EQ(
      messageOf([] { Tensor::FromNDAllocStrided(CpuAllocator(), {4}, {1, 1}, kFloat32, kCpu); },
                "ValueError"),
      "Check failed: (shape.size() == strides.size()) is false: shape and strides must have "
      "the same size.");
}

TEST(TensorAlloc, RefusesNegativeExtents) {
  EXPECT_EQ(
      messageOf([] { Tensor::FromNDAlloc(CpuAllocator(), {4, -5}, kFloat32, kCpu); }, "ValueError"),
      "Check failed: shape[i] >= 0 (-5 vs. 0) : extent 1 of the tensor is negative");
  EXPECT_EQ(liveAllocations, 0);
}

TEST(Questions, AboutTensors) {
  int64_t shape[] = {2, 3}, strides[] = {3, 1};
  DLTensor t{nullptr, kCpu, 2, kFloat32, shape, strides, 0};
  EXPECT_TRUE(IsContiguous(t));
  strides[0] = 7;
  EXPECT_FALSE(IsContiguous(t));
  shape[0] = 1; // an extent of 1 is never stepped over
  EXPECT_TRUE(IsContiguous(t));
  shape[0] = 0;
  strides[1] = -1;
  EXPECT_TRUE(IsContiguous(t));
  shape[0] = 2;
  EXPECT_FALSE(IsContiguous(t));
  t.strides = nullptr;
  EXPECT_TRUE(IsContiguous(t));
  t.data = reinterpret_cast<void *>(64);
  t.byte_offset = 8;
  EXPECT_TRUE(IsAligned(t, 8));
  EXPECT_FALSE(IsAligned(t, 16));
  t.device = {kDLOpenCL, 0}; // a handle: the offset alone counts
  t.data = reinterpret_cast<void *>(1);
  EXPECT_TRUE(IsAligned(t, 8));
  for (int type : {kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged, kDLROCM, kDLROCMHost})
    EXPECT_TRUE(IsDirectAddressDevice({static_cast<DLDeviceType>(type), 0})) << type;
  for (int type : {kDLOpenCL, kDLVulkan, kDLMetal, kDLWebGPU})
    EXPECT_FALSE(IsDirectAddressDevice({static_cast<DLDeviceType>(type), 0})) << type;
  EXPECT_EQ(GetDataSize(3, {kDLFloat4_e2m1fn, 4, 1}), 2u); // rounded up
  EXPECT_EQ(GetDataSize(3, {kDLFloat, 32, 4}), 48u);
  EXPECT_EQ(GetDataSize(t), 24u);
}

TEST(TensorView, SeesTensorsAndViews) {
  Tensor tensor = Tensor::FromNDAlloc(CpuAllocator(), {4, 5}, kFloat32, kCpu);
  auto rows = Function::FromTyped([](TensorView view) { return view.size(0); });
  EXPECT_EQ(rows(tensor).cast<int>(), 4);
  EXPECT_EQ(rows(TensorView(tensor)).cast<int>(), 4);
  EXPECT_EQ(rows(const_cast<DLTensor *>(tensor.GetDLTensorPtr())).cast<int>(), 4);
  auto maybe = Function::FromTyped([](Optional<TensorView> view) { return view.has_value(); });
  EXPECT_FALSE(maybe(nullptr).cast<bool>());
  EXPECT_TRUE(maybe(tensor).cast<bool>());
  EXPECT_EQ(messageOf([&] { tensor.size(2); }, "IndexError"),
            "Index 2 out of bounds for tensor with 2 dimensions");
  EXPECT_EQ(messageOf([&] { TensorView(tensor).stride(-3); }, "IndexError"),
            "Index -3 out of bounds for tensor with 2 dimensions");
  Tensor null;
  messageOf([&] { TensorView view(null); }, "InternalError");
}

TEST(TensorViews, AsStridedKeepsTheOffsetOfHandles) {
  int64_t shape[] = {8};
  DLTensor buffer{reinterpret_cast<void *>(1), {kDLOpenCL, 0}, 1, kFloat32, shape, nullptr, 4};
  TensorView view(&buffer);
  TensorView part = view.as_strided({2}, {1}, 3);
  EXPECT_EQ(part.data_ptr(), buffer.data);
  EXPECT_EQ(part.byte_offset(), 16u);
  EXPECT_EQ(messageOf([&] { view.as_strided({2}, {1}, -1); }, "InternalError")
                .find("Check failed: elem_offset_as_i64 >= 0 (-1 vs. 0) "),
            0u);
  EXPECT_EQ(messageOf([&] { view.as_strided({2}, {1, 1}); }, "ValueError"),
            "Check failed: (shape.size() == strides.size()) is false: shape and strides must have "
            "the same size.");
  messageOf([&] { view.strides(); }, "InternalError"); // it has none
}

TEST(TensorViews, AsStridedSharesTheData) {
  Tensor tensor = Tensor::FromNDAlloc(CpuAllocator(), {4, 5}, kFloat32, kCpu);
  char *data = static_cast<char *>(tensor.data_ptr());
  Tensor column = tensor.as_strided({4}, {5}, 2);
  EXPECT_EQ(column.data_ptr(), data + 8); // folded in: an address of the CPU
  EXPECT_EQ(column.byte_offset(), 0u);
  EXPECT_EQ(tensor.use_count(), 2);
  tensor = Tensor();
  EXPECT_EQ(liveAllocations, 1);
  column = Tensor();
  EXPECT_EQ(liveAllocations, 0);
}

TEST(Shapes, ReadAsLists) {
  Shape shape{2, 3, 4};
  EXPECT_EQ(shape.Product(), 24);
  EXPECT_EQ(Shape().Product(), 1);
  EXPECT_EQ(Shape::StridesFromShape(shape)[0], 12);
  EXPECT_EQ(messageOf([&] { shape.at(3); }, "IndexError"), "indexing 3 on a Shape of size 3");
  EXPECT_EQ(Any(Array<int64_t>{5, 6}).cast<Shape>()[1], 6);
  Function make = Function::GetGlobalRequired("ffi.Shape");
  EXPECT_EQ(make(1, 2).cast<Shape>().size(), 2u);
  EXPECT_EQ(messageOf([&] { make("x"); }, "ValueError"),
            "Expect shape to take list of int arguments");
}

TEST(Arrays, CopyWhenShared) {
  Array<int> a{1, 2, 3};
  Array<int> b = a;
  b.push_back(4);
  b.Set(0, 9);
  EXPECT_EQ(a.size(), 3u);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(b[0], 9);
  EXPECT_EQ(b.back(), 4);
  const ArrayObj *before = b.get();
  b.pop_back();
  EXPECT_EQ(b.get(), before); // owned alone: in place
  EXPECT_EQ(messageOf([&] { a[3]; }, "IndexError"), "Index 3 out of bounds 3");
  EXPECT_EQ(messageOf([] { Array<int>(ObjectPtr<Object>()); }, "InternalError"),
            "Check not null: data_.get() ");
  EXPECT_EQ(a.Map([](int x) { return x * 2; })[2], 6);
}
