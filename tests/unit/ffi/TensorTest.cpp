/// Tensors: DLPack both ways with ownership, allocators, views, and what hostile tensors give.
#include <gtest/gtest.h>

#include <functional>

#include "TensorSource.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

std::string messageOf(const std::function<void()> &f, const char *kind) {
  try {
    f();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), kind);
    return error.message();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

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
