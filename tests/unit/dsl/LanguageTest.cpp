/// The C++ DSL as its users write it: compiled for the CPU and run.
#include <cmath>
#include <numeric>

#include "artifact/Kernels.h"

namespace fairlead {
namespace {

using fl::Scalar;
using fl::Tensor;

/// Compiles a function that launches `body` once on `threads` threads, for tensors like these.
template <typename Body>
tvm::ffi::Function oneBlock(Body body, const std::vector<fl::Fake> &fakes, int threads = 64) {
  auto host = fl::jit("host", {"a", "b"}, [=](Tensor a, Tensor b) {
    fl::launch(fl::kernel("device", body), {.grid = {1}, .block = {threads}}, a, b);
  });
  return makeFunction(compileArtifact(host, fakes, cpuOptions()));
}

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

TEST(Language, VariablesInLoopsAndBranches) {
  auto f = oneBlock(
      [](Tensor a, Tensor b) {
        Scalar t = fl::threadIdx().x;
        fl::Variable sum(0.0f), steps(0), n(t);
        fl::for_(0, t, [&](Scalar i) {
          fl::if_(i % 3 == 0, [&] { sum += a[i]; }, [&] { sum -= 1.0f; });
        });
        fl::while_([&] { return n > 1; },
                   [&] {
                     fl::if_(n % 2 == 0, [&] { n = n / 2; }, [&] { n = n * 3 + 1; });
                     steps += 1;
                   });
        fl::for_(t, 0, -2, {.unroll = 1}, [&](Scalar) { steps += 1000; });
        b(t, 0) = sum;
        b(t, 1) = steps;
      },
      {fl::fakeTensor(fl::f32, {64}), fl::fakeTensor(fl::f32, {64, 2})});
  HostTensor<float> a(counting(64), {64}, DType::Float32),
      b(std::vector<float>(128, NAN), {64, 2}, DType::Float32);
  f(&a.view, &b.view);
  for (int t = 0; t < 64; ++t) {
    float sum = 0;
    for (int i = 0; i < t; ++i)
      sum += i % 3 == 0 ? float(i) : -1.0f;
    int steps = 0;
    for (int n = t; n > 1; ++steps)
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    steps += 1000 * ((t + 1) / 2);
    EXPECT_EQ(b.data[2 * t], sum) << t;
    EXPECT_EQ(b.data[2 * t + 1], steps) << t;
  }
}

TEST(Language, SharedMemoryWarpsAndAtomics) {
  auto f = oneBlock(
      [](Tensor a, Tensor b) {
        Scalar t = fl::threadIdx().x;
        Tensor tile = fl::sharedTensor(
            DType::Float32, *layout::Layout::make(layout::tuple(8, 32), layout::tuple(32, 1)), 16,
            {3, 4, 3});
        Tensor sums = fl::sharedTensor(DType::Float32, layout::Layout(layout::IntTuple(8)));
        tile(t / 32, t % 32) = a[t];
        Scalar sum = fl::warpSum(a[t]), most = fl::warpMax(a[t], 8);
        fl::if_(fl::laneIdx() == 0, [&] { sums[fl::warpIdx()] = sum; });
        fl::syncThreads();
        fl::atomic(fl::AtomicOp::Add, fl::Pointer(b, {Scalar(0), Scalar(3)}), 1.0f);
        Scalar other = 255 - t;
        fl::if_(t != 0, [&] { b(t, 3) = 0.0f; });
        b(t, 0) = tile(other / 32, other % 32);
        b(t, 1) = sums[t / 32];
        b(t, 2) = most;
      },
      {fl::fakeTensor(fl::f32, {256}), fl::fakeTensor(fl::f32, {256, 4})}, 256);
  HostTensor<float> a(counting(256), {256}, DType::Float32),
      b(std::vector<float>(1024, 0), {256, 4}, DType::Float32);
  f(&a.view, &b.view);
  for (int t = 0; t < 256; ++t) {
    int warp = t / 32;
    EXPECT_EQ(b.data[4 * t], 255 - t);
    EXPECT_EQ(b.data[4 * t + 1], 32 * (32 * warp) + 31 * 16) << t;
    EXPECT_EQ(b.data[4 * t + 2], t / 8 * 8 + 7);
  }
  EXPECT_EQ(b.data[3], 256);
}

TEST(Language, TiledCopiesWithCoordinates) {
  static constexpr int kRows = 13, kColumns = 21;
  auto f = oneBlock(
      [](Tensor a, Tensor b) {
        fl::TiledCopy tiled(*layout::Layout::make(layout::tuple(4, 8), layout::tuple(8, 1)),
                            *layout::Layout::make(layout::tuple(2, 1), layout::tuple(1, 1)));
        Scalar t = fl::threadIdx().x;
        Tensor from = tiled.partition(a, t), to = tiled.partition(b, t);
        fl::CoordTensor places =
            tiled.partition(fl::identityTensor(layout::tuple(kRows, kColumns)), t);
        layout::IntTuple bounds = layout::tuple(kRows, kColumns);
        for (int64_t i = 0; i < from.size().staticInt().value(); ++i) {
          layout::IntTuple index = *layout::idx2crd(layout::Int(i), places.layout().shape());
          fl::if_(fl::elemLess(places.at(index), bounds),
                  [&] { to.store({Scalar(i)}, from.load({Scalar(i)})); });
        }
      },
      {fl::fakeTensor(fl::f32, {kRows, kColumns}), fl::fakeTensor(fl::f32, {kRows, kColumns})}, 32);
  HostTensor<float> a(counting(kRows * kColumns), {kRows, kColumns}, DType::Float32),
      b(std::vector<float>(kRows * kColumns, NAN), {kRows, kColumns}, DType::Float32);
  f(&a.view, &b.view);
  EXPECT_EQ(a.data, b.data);
}

TEST(Language, CopiesAndExpressions) {
  auto f = oneBlock(
      [](Tensor a, Tensor b) {
        Scalar t = fl::threadIdx().x;
        Tensor row = a.slice({t, std::nullopt}), out = b.slice({t, std::nullopt});
        Tensor mine = fl::registerTensor(DType::Float32, layout::Layout(layout::IntTuple(4)));
        fl::copy(row, mine);
        mine.assign(fl::TensorExpr::read(mine) * 2.0f + mine);
        Tensor wanted = fl::registerTensor(DType::Int32, layout::Layout(layout::IntTuple(4)));
        for (int i = 0; i < 4; ++i)
          wanted[i] = fl::select(a(t, i) < 100.0f, 1, 0);
        fl::copyIf(wanted, mine, out);
      },
      {fl::fakeTensor(fl::f32, {64, 4}), fl::fakeTensor(fl::f32, {64, 4})});
  HostTensor<float> a(counting(256), {64, 4}, DType::Float32),
      b(std::vector<float>(256, -1), {64, 4}, DType::Float32);
  f(&a.view, &b.view);
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(b.data[i], i < 100 ? 3.0f * i : -1.0f) << i;
}

TEST(Language, NarrowFloats) {
  auto f = oneBlock(
      [](Tensor a, Tensor b) {
        Scalar t = fl::threadIdx().x;
        Scalar narrow = fl::cast(a[t], DType::Float8E4M3FN);
        b(t, 0) = fl::cast(narrow + narrow, DType::Float32);
        b(t, 1) = fl::cast(fl::bitcast(narrow, DType::Uint8), DType::Float32);
        b(t, 2) = fl::cast(fl::cast(a[t], DType::Float4E2M1FN), DType::Float32);
      },
      {fl::fakeTensor(fl::f32, {4}), fl::fakeTensor(fl::f32, {4, 3})}, 4);
  HostTensor<float> a({1.0f, 1.06f, -300.0f, 0.6f}, {4}, DType::Float32),
      b(std::vector<float>(12, NAN), {4, 3}, DType::Float32);
  f(&a.view, &b.view);
  EXPECT_EQ(b.data, (std::vector<float>{2, 0x38, 1, 2, 0x38, 1, -448, 0xF9, -6, 1.25, 0x32, 0.5}));
  EXPECT_EQ(fl::rounded(DType::Float8E5M2, 1e9), 57344);
  EXPECT_EQ(fl::rounded(DType::TFloat32, 1.0 + 0x1p-11), 1.0);
}

TEST(Language, PrintsWhatItIsGiven) {
  auto f = oneBlock(
      [](Tensor a, Tensor b) {
        fl::print("{} of {}: {}%\n", {fl::threadIdx().x, 3, a[1]});
        fl::print("{} {}\n", {b.layout(), "text"});
        fl::print("{{}} {{{}}} {x} }}{\n", {3});
        fl::printTensor(a);
        fl::printTensor(fl::TensorExpr::read(b));
      },
      {fl::fakeTensor(fl::f32, {2}), fl::fakeTensor(fl::i32, {2, 2})}, 1);
  HostTensor<float> a({0.5f, 1.5f}, {2}, DType::Float32);
  HostTensor<int32_t> b({1, 2, 3, 4}, {2, 2}, DType::Int32);
  testing::internal::CaptureStdout();
  f(&a.view, &b.view);
  std::fflush(stdout);
  std::string text = testing::internal::GetCapturedStdout();
  size_t address = text.find("0x");
  ASSERT_NE(address, std::string::npos) << text;
  text.replace(address, 18, "ADDR");
  EXPECT_EQ(text, "0 of 3: 1.500000%\n(2,2):(2,1) text\n{} {3} {x} }{\n"
                  "tensor(raw_ptr(ADDR: f32, gmem, align<4>) o (2):(1), data=\n"
                  "       [ 0.500000, ],\n       [ 1.500000, ])\n"
                  "tensor(vector<4xi32> o (2,2), data=\n"
                  "       [[ 1,  2, ],\n        [ 3,  4, ]])\n");
}

struct Scaled {
  Tensor data;
  Scalar factor;
  static constexpr auto kFields = std::make_tuple(&Scaled::data, &Scaled::factor);
};
struct Pair {
  Scaled first;
  fl::Pointer second;
  static constexpr auto kFields = std::make_tuple(&Pair::first, &Pair::second);
};

TEST(Language, StructsAndTuplesAreParameters) {
  auto host = fl::jit("host", {"first.data", "first.factor", "second", "out", "n"},
                      [](Pair pair, std::tuple<Tensor, Scalar> rest) {
                        auto body = fl::kernel("device", [](Pair pair, Scalar n, Tensor out) {
                          Scalar t = fl::threadIdx().x;
                          Scalar x = pair.first.data[t] * pair.first.factor;
                          out[t] = x + (pair.second + t).load() + n;
                        });
                        auto [out, n] = rest;
                        fl::launch(body, {.grid = {1}, .block = {8}}, pair, n, out);
                      });
  auto f = makeFunction(compileArtifact(host,
                                        {fl::fakeTensor(fl::f32, {8}), fl::FakeScalar{fl::f32},
                                         fl::FakePointer{fl::f32}, fl::fakeTensor(fl::f32, {8}),
                                         fl::FakeScalar{fl::i32}},
                                        cpuOptions()));
  HostTensor<float> a(counting(8), {8}, DType::Float32), out({}, {8}, DType::Float32);
  std::vector<float> more(8, 100.0f);
  out.data.assign(8, NAN);
  out.view.data = out.data.data();
  f(&a.view, 0.5, static_cast<void *>(more.data()), &out.view, 7);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(out.data[i], 0.5f * i + 107);
}

TEST(Language, LaunchOptions) {
  auto host = fl::jit("host", {"a", "b"}, [](Tensor a, Tensor b) {
    auto body = fl::kernel("device", [](Tensor a, Tensor b) {
      Scalar t = fl::threadIdx().x;
      b[t] = a[t] * fl::floor(2.75f * fl::abs(Scalar(-1.0f) * a[0] - 1.0f));
    });
    fl::launch(body, {.grid = {1}, .block = {32}},
               fl::LaunchOptions{.cooperative = true, .minBlocksPerProcessor = 2}, a, b);
  });
  auto f = makeFunction(compileArtifact(
      host, {fl::fakeTensor(fl::f32, {32}), fl::fakeTensor(fl::f32, {32})}, cpuOptions()));
  HostTensor<float> a(counting(32), {32}, DType::Float32),
      b(std::vector<float>(32, NAN), {32}, DType::Float32);
  f(&a.view, &b.view);
  EXPECT_EQ(b.data[31], 62);
}

TEST(Language, ValuesStayInTheirRegion) {
  auto broken = [] {
    oneBlock(
        [](Tensor a, Tensor b) {
          Scalar kept;
          fl::if_(a[0] > 0.0f, [&] { kept = a[0] * 2.0f; });
          b[0] = kept;
        },
        {fl::fakeTensor(fl::f32, {1}), fl::fakeTensor(fl::f32, {1})});
  };
  try {
    broken();
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), "RuntimeError");
    EXPECT_NE(std::string(error.what()).find("inside a run-time `if` or loop"), std::string::npos);
  }
}

TEST(Language, NarrowNumbersAreNoParameters) {
  auto host = fl::jit("host", {"x"}, [](Scalar) {});
  EXPECT_THROW(compileArtifact(host, {fl::FakeScalar{DType::Float8E5M2}}, cpuOptions()), Error);
}

} // namespace
} // namespace fairlead
