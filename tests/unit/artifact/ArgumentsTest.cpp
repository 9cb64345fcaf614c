/// Pointers and symbols as arguments, grids that overflow, artifacts as bytes: all from C++.
#include "Kernels.h"

namespace fairlead {
namespace {

/// The error of the call, as "Kind: message"; "" if there is none.
template <typename Call> std::string errorOfCall(Call call) {
  try {
    call();
  } catch (const tvm::ffi::Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "";
}

/// Adds one to `n` floats behind an address.
std::shared_ptr<const Artifact> compileAddOne() {
  auto host = fl::jit("add_one", {"p", "n"}, [](fl::Pointer p, fl::Scalar n) {
    auto kernel = fl::kernel("device_add_one", [](fl::Pointer p, fl::Scalar n) {
      fl::Scalar i = fl::blockIdx().x * 128 + fl::threadIdx().x;
      fl::if_(i < n, [&] { (p + i).store((p + i).load() + 1.0f); });
    });
    fl::launch(kernel, {{fl::ceilDiv(n, 128)}, {128}, {}, 0}, p, n);
  });
  return compileArtifact(host, {fl::FakePointer{DType::Float32, 8}, fl::FakeScalar{DType::Int32}},
                         cpuOptions());
}

TEST(Arguments, Pointers) {
  tvm::ffi::Function f = makeFunction(compileAddOne());
  alignas(16) float values[200] = {};
  f(static_cast<void *>(values), 200);
  for (float value : values)
    ASSERT_EQ(value, 1.0f);
  EXPECT_EQ(errorOfCall([&] { f(static_cast<void *>(values + 1), 1); }),
            "ValueError: Misaligned pointer on argument #0 when calling: `add_one(p: "
            "Pointer(float32), n: int32)`, expected alignment=8 bytes, but the address is 4 bytes "
            "past a multiple of it");
  EXPECT_EQ(errorOfCall([&] { f(static_cast<void *>(nullptr), 1); }),
            "ValueError: Null pointer on argument #0 when calling: `add_one(p: Pointer(float32), "
            "n: int32)`, expected the address of elements of float32");
}

TEST(Arguments, IntegersThatAreSymbols) {
  auto host = fl::jit("first", {"a", "n"}, [](fl::Tensor a, fl::Scalar n) {
    auto kernel = fl::kernel("device_first", [](fl::Tensor a, fl::Scalar n) {
      a[fl::Scalar(0)] = fl::cast(n, DType::Float32);
    });
    fl::launch(kernel, {{1}, {1}, {}, 0}, a, n);
  });
  fl::SymInt n;
  tvm::ffi::Function f =
      makeFunction(compileArtifact(host, {fl::fakeTensor(DType::Float32, {n}), n}, cpuOptions()));
  HostTensor<float> a(std::vector<float>(5), {5}, DType::Float32);
  f(&a.view, 5);
  EXPECT_EQ(a.data[0], 5.0f);
  EXPECT_EQ(errorOfCall([&] { f(&a.view, 4); }),
            "ValueError: Mismatched n on argument #1 when calling: `first(a: Tensor([n0], "
            "float32), n: int32)`, symbolic constraint violated: expected to match a.shape[0] = 5, "
            "but got 4");
}

TEST(Arguments, AGridThatOverflows) {
  auto host = fl::jit("square", {"a", "n"}, [](fl::Tensor a, fl::Scalar n) {
    auto kernel =
        fl::kernel("device_square", [](fl::Tensor a) { a[fl::Scalar(0)] = fl::Scalar(1.0f); });
    fl::launch(kernel, {{n * n}, {1}, {}, 0}, a);
  });
  fl::SymInt m;
  tvm::ffi::Function f = makeFunction(compileArtifact(
      host, {fl::fakeTensor(DType::Float32, {m}), fl::FakeScalar{DType::Int32}}, cpuOptions()));
  HostTensor<float> a(std::vector<float>(1), {1}, DType::Float32);
  EXPECT_EQ(errorOfCall([&] { f(&a.view, 65537); }),
            "ValueError: Invalid grid[0] when launching `device_square`, expected an integer of 32 "
            "bits, but got 4295098369");
  EXPECT_EQ(a.data[0], 0.0f);
  f(&a.view, 2);
  EXPECT_EQ(a.data[0], 1.0f);
}

TEST(Arguments, ArtifactsAreSavedAndRestored) {
  std::shared_ptr<const Artifact> artifact = compileAddOne();
  std::string bytes = artifact->save();
  std::shared_ptr<const Artifact> again = Artifact::restore(bytes);
  EXPECT_EQ(again->signature().text(), artifact->signature().text());
  EXPECT_EQ(again->target().str(), "cpu");
  float value = 1.0f;
  alignas(16) float values[2] = {value, value};
  makeFunction(again)(static_cast<void *>(values), 1);
  EXPECT_EQ(values[0], 2.0f);
  EXPECT_EQ(values[1], 1.0f);
  // Every single byte counts.
  for (size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 50) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_THROW(Artifact::restore(damaged), Error) << at;
  }
  EXPECT_THROW(Artifact::restore(bytes.substr(0, bytes.size() / 2)), Error);
  EXPECT_THROW(Artifact::restore(""), Error);
}

} // namespace
} // namespace fairlead
