/// Tensors under other layouts, and whole-tensor expressions of the C++ DSL.
#include <cmath>
#include <numeric>

#include "artifact/Kernels.h"

namespace fairlead {
namespace {

using fl::Scalar;
using fl::Tensor;
using fl::TensorExpr;
using layout::Layout;

/// Runs `body` in one thread on (8,6):(6,1) numbers from 0 on, and 16 results.
template <typename Body> std::vector<float> results(Body body, DType from = fl::f32) {
  auto host = fl::jit("host", {"a", "out"}, [=](Tensor a, Tensor out) {
    fl::launch(fl::kernel("device", body), {}, a, out);
  });
  auto f = makeFunction(compileArtifact(
      host, {fl::fakeTensor(from, {8, 6}, 16), fl::fakeTensor(fl::f32, {16})}, cpuOptions()));
  std::vector<float> numbers(48);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  alignas(16) float aligned[48];
  std::copy(numbers.begin(), numbers.end(), aligned);
  HostTensor<float> a(numbers, {8, 6}, from), out(std::vector<float>(16, NAN), {16}, fl::f32);
  a.view.data = aligned;
  f(&a.view, &out.view);
  return out.data;
}

TEST(Views, OtherLayouts) {
  auto got = results([](Tensor a, Tensor out) {
    EXPECT_EQ(fl::groupModes(a, 0, 2).layoutStr(), "((8,6)):((6,1))");
    EXPECT_EQ(fl::flatten(fl::groupModes(a, 0, 2)).layoutStr(), "(8,6):(6,1)");
    EXPECT_EQ(fl::select(a, {1, 0}).layoutStr(), "(6,8):(1,6)");
    EXPECT_EQ(fl::coalesce(fl::select(a, {1, 0})).layoutStr(), "48:1");
    EXPECT_EQ(fl::coalesce(a, fl::tuple(1, 1)).layoutStr(), "(8,6):(6,1)");
    EXPECT_EQ(fl::modeOf(a, {0}).layoutStr(), "8:6");
    EXPECT_EQ(fl::append(a, fl::makeLayout(2, 0)).layoutStr(), "(8,6,2):(6,1,0)");
    EXPECT_EQ(fl::prepend(a, fl::makeLayout(1, 0)).layoutStr(), "(1,8,6):(0,6,1)");
    EXPECT_EQ(fl::filterZeros(fl::append(a, fl::makeLayout(2, 0))).layoutStr(), "(8,6,1):(6,1,0)");
    EXPECT_EQ(fl::recast(a, fl::f16).layoutStr(), "(8,12):(12,1)");
    EXPECT_EQ(fl::recast(a, fl::f64).layoutStr(), "(8,3):(3,1)");
    EXPECT_EQ(fl::recast(a, fl::f64).alignment(), 16);
    EXPECT_EQ(fl::select(fl::identityTensor(fl::tuple(8, 6)), {1}).str(),
              "tensor<(0,0) o (6):(1@1)>");
    EXPECT_EQ(fl::fragmentLike(a).layoutStr(), "(8,6):(1,8)");
    EXPECT_EQ(fl::registerLike(a, fl::i32).layoutStr(), "(8,6):(6,1)");
    EXPECT_EQ(fl::registerLike(a, fl::i32).dtype(), DType::Int32);
    out[0] = fl::modeOf(a, {0})[3];
    out[1] = fl::select(a, {1, 0})(2, 3);
    out[2] = fl::recast(fl::recast(a, fl::f64), fl::f32)(2, 3);
    out[3] = fl::localTile(a, layout::Tiler({Layout(2), Layout(3)}),
                           layout::Coordinate({layout::Int(1), layout::Int(1)}))(1, 2);
    out[4] = fl::zippedDivide(a, layout::Tiler({Layout(2), Layout(3)})).size();
    out[5] = 1.0f;
    out[5] += 2.0f;
    out[5] *= 4.0f;
    out[5] -= 1.0f;
  });
  EXPECT_EQ((std::vector<float>(got.begin(), got.begin() + 6)),
            (std::vector<float>{18, 20, 15, 23, 48, 11}));
}

TEST(Views, RunTimeNumbers) {
  auto got = results([](Tensor a, Tensor out) {
    Scalar n = fl::cast(a(0, 4), fl::i32); // 4
    Layout layout = fl::makeLayout(fl::tuple(n, 3));
    EXPECT_EQ(layout.str(), "(?,3):(1,?)");
    EXPECT_EQ(fl::makeOrderedLayout(fl::tuple(n, 3), fl::tuple(1, 0)).str(), "(?,3):(3,1)");
    out[0] = fl::indexOf(fl::tuple(2, 1), layout);
    fl::Scalars place = fl::leaves(fl::coordinateOf(n * 2 + 1, layout.shape()));
    out[1] = place[0];
    out[2] = place[1];
    out[3] = fl::makeTensor(fl::Pointer(a), fl::makeLayout(fl::tuple(2, n), fl::tuple(n, 1)))(1, 1);
    out[4] = fl::roundUp(n, 3);
    EXPECT_EQ(fl::assume(n, 4).divisibility(), 4);
    EXPECT_EQ(fl::recast(fl::makeTensor(fl::Pointer(a), fl::makeLayout(fl::tuple(n))), fl::f16)
                  .layoutStr(),
              "(?{div=2}):(1)");
    Tensor seen = fl::recast(fl::makeTensor(fl::Pointer(a), fl::makeLayout(fl::tuple(n))), fl::i32);
    out[5] = fl::bitcast(seen[3], fl::f32);
    // Indices 1, 3, 5 and 7; from an index of the run on; of a layout that is not static.
    Layout blocks = fl::makeLayout(fl::tuple(4, 2), fl::tuple(2, 1));
    EXPECT_EQ(fl::imageMask(blocks, fl::tuple(0, 1), 0).literalInt(), 0b10101010);
    out[6] = fl::imageMask(blocks, fl::tuple(n - 2, 0), 1);
    EXPECT_THROW(fl::imageMask(layout, fl::tuple(0, 1), 0), Error);
    EXPECT_THROW(fl::imageMask(blocks, fl::tuple(0, 1), 2), Error);
    EXPECT_THROW(fl::imageMask(fl::makeLayout(2, 64), 1, 0), Error);
  });
  EXPECT_EQ((std::vector<float>(got.begin(), got.begin() + 7)),
            (std::vector<float>{6, 1, 2, 5, 6, 3, 0b110000}));
}

/// Constants of the program are its numbers in layouts, and known places in coordinates.
TEST(Views, ConstantsOfTheProgram) {
  auto got = results([](Tensor a, Tensor out) {
    Scalar n = fl::constant(fl::i32, int64_t(4));
    Layout layout = fl::makeLayout(fl::tuple(n, 3));
    EXPECT_EQ(layout.str(), "(?,3):(1,?)");
    EXPECT_FALSE(fl::toInt(n).isStatic());
    EXPECT_TRUE(fl::toIndex(n).is(4));
    EXPECT_EQ(fl::knownFactor(n), 1);
    EXPECT_EQ(fl::makeLayout(fl::tuple(fl::assume(n, 2), fl::assume(n, 4), n * 2)).shape().str(),
              "(?{div=2},?{div=4},?)");
    EXPECT_EQ(fl::knownFactor(n * fl::cast(a(0, 4), fl::i32)), 4);
    out[0] = fl::indexOf(fl::tuple(2, 1), layout);
    out[1] = fl::makeTensor(fl::Pointer(a), fl::makeLayout(fl::tuple(2, n), fl::tuple(n, 1)))(1, 1);
    // Strides in an order that only the run knows.
    Scalar one = fl::cast(a(0, 1), fl::i32), six = fl::cast(a(1, 0), fl::i32);
    auto rest = layout::complement(fl::makeLayout(fl::tuple(2, 2), fl::tuple(six, one)), 24,
                                   fl::arithmetic());
    ASSERT_TRUE(rest);
    fl::Scalars extents = fl::leaves(rest->shape()), strides = fl::leaves(rest->stride());
    ASSERT_EQ(extents.size(), 3u);
    for (int i = 0; i < 3; ++i) {
      out[2 + i] = extents[i];
      out[5 + i] = strides[i];
    }
    // Rows of n: which thread and value hold each element is known.
    Scalar m = fl::cast(a(0, 2), fl::i32);
    auto made =
        layout::threadValues(fl::makeLayout(fl::tuple(m, n), fl::tuple(n, 1)),
                             fl::makeLayout(fl::tuple(2, 2), fl::tuple(2, 1)), fl::arithmetic());
    ASSERT_TRUE(made);
    out[8] = fl::indexOf(fl::tuple(5, 3), made->elements);
  });
  // Thread 5 is row 1, column 1 of 4; its value 3 is at (1, 1): element (3, 3) of a tile (4, 8).
  EXPECT_EQ((std::vector<float>(got.begin(), got.begin() + 9)),
            (std::vector<float>{6, 5, 1, 3, 2, 1, 2, 12, 3 + 3 * 4}));
}

/// Host functions for the CPU read and write single elements of 4 and 6 bits.
TEST(Views, PackedElementsOfHostFunctions) {
  for (DType type : {fl::f4e2m1fn, fl::f6e2m3fn}) {
    auto host = fl::jit("host", {"a", "out"}, [=](Tensor a, Tensor out) {
      Tensor narrow = fl::makeTensor(fl::Pointer(a).recast(type), fl::makeLayout(7));
      fl::for_(0, 7, [&](const Scalar &i) { narrow(Scalar(6) - i) = fl::cast(i, fl::f32) * 0.5f; });
      narrow(1) = 3.0f;
      fl::for_(0, 7, [&](const Scalar &i) { out(i) = fl::cast(narrow(i), fl::f32); });
    });
    auto f = makeFunction(compileArtifact(
        host, {fl::fakeTensor(fl::f32, {2}), fl::fakeTensor(fl::f32, {7})}, cpuOptions()));
    HostTensor<float> a({0, 0}, {2}, fl::f32), out(std::vector<float>(7, NAN), {7}, fl::f32);
    f(&a.view, &out.view);
    EXPECT_EQ(out.data, (std::vector<float>{3, 3, 2, 1.5, 1, 0.5, 0}));
  }
}

TEST(Views, Expressions) {
  auto got = results([](Tensor a, Tensor out) {
    auto row = [&](int i) { return TensorExpr::read(a.slice({Scalar(i), std::nullopt})); };
    TensorExpr x = row(1), y = row(0); // 6..11 and 0..5
    out[0] = (x - y).reduce(fl::BinaryOp::Add, 0.0f);
    out[1] = fl::select(x > 8.0f, x, y).reduce(fl::BinaryOp::Add, 0.0f);
    out[2] = fl::cast(fl::allOf(x > y), fl::f32);
    out[3] = fl::cast(fl::anyOf(x == 100.0f), fl::f32);
    out[4] = fl::min(fl::max(y, TensorExpr(Scalar(2.0f))), TensorExpr(Scalar(4.0f)))
                 .reduce(fl::BinaryOp::Add, 0.0f);
    out[5] = fl::abs(-y).reduce(fl::BinaryOp::Max, 0.0f);
    out[6] = fl::log2(fl::exp2(y)).reduce(fl::BinaryOp::Add, 0.0f);
    out[7] = (fl::sin(y) * fl::sin(y) + fl::cos(y) * fl::cos(y)).reduce(fl::BinaryOp::Add, 0.0f);
    out[8] = fl::floor(y / 2.0f).reduce(fl::BinaryOp::Add, 0.0f);
    out[9] = fl::ceil(y / 2.0f).reduce(fl::BinaryOp::Add, 0.0f);
    out[10] = fl::pow(y, TensorExpr(Scalar(2.0f))).reduce(fl::BinaryOp::Add, 0.0f);
    out[11] = fl::erf(y).reduce(fl::BinaryOp::Add, 0.0f);
    out[12] = fl::cast(fl::allOf(x <= 10.0f), fl::f32);
    out[13] = fl::log10(TensorExpr(x * 0.0f + 100.0f)).reduce(fl::BinaryOp::Add, 0.0f);
    out[14] = fl::tan(y).element(layout::Int(1));
  });
  double erfs = 0;
  for (int i = 0; i < 6; ++i)
    erfs += std::erf(double(i));
  std::vector<double> expected{36,
                               0 + 1 + 2 + 9 + 10 + 11,
                               1,
                               0,
                               2 + 2 + 2 + 3 + 4 + 4,
                               5,
                               15,
                               6,
                               0 + 0 + 1 + 1 + 2 + 2,
                               0 + 1 + 1 + 2 + 2 + 3,
                               55,
                               erfs,
                               0,
                               12,
                               std::tan(1.0)};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-4) << i;
}

TEST(Views, WhatDoesNotFit) {
  auto message = [](auto body) -> std::string {
    try {
      results([=](Tensor a, Tensor) { body(a); });
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message([](Tensor a) { fl::groupModes(a, 0, 3); }).find("groupModes is not defined"),
            std::string::npos);
  EXPECT_NE(message([](Tensor a) { fl::modeOf(a, {2}); }).find("modeOf"), std::string::npos);
  EXPECT_NE(message([](Tensor a) { fl::select(a, {5}); }).find("select"), std::string::npos);
  EXPECT_NE(message([](Tensor a) {
              fl::recast(fl::modeOf(a, {1}), DType::Int128);
            }).find("recast is not defined"),
            std::string::npos);
  EXPECT_NE(message([](Tensor) {
              fl::makeLayout(fl::tuple(2, 3), fl::tuple(1));
            }).find("strides nested as the shape (2,3) is"),
            std::string::npos);
  EXPECT_NE(message([](Tensor) { fl::tuple(2.5f); }).find("indexed with integers"),
            std::string::npos);
}

TEST(Views, AssertionsStop) {
  auto host =
      fl::jit("host", {"a"}, [](Tensor a) { fl::assertThat(a[0] < 10, "a[0] is too large"); });
  auto f = makeFunction(compileArtifact(host, {fl::fakeTensor(fl::i32, {1})}, cpuOptions()));
  HostTensor<int32_t> a({3}, {1}, DType::Int32);
  f(&a.view);
  a.data[0] = 10;
  EXPECT_THROW(f(&a.view), tvm::ffi::Error);
}

TEST(Views, WhatLayoutsTakeForGrantedIsAsserted) {
  // Tiles of 8 along all of a matrix, whose rows are then parts of a tile or whole tiles.
  auto host = fl::jit("host", {"a", "out"}, [](Tensor a, Tensor out) {
    fl::checkLayouts(*fl::Program::current());
    auto body = fl::kernel("device", [](Tensor a, Tensor out) {
      Tensor tile =
          fl::zippedDivide(a, layout::Tiler(Layout(8))).slice({std::nullopt, fl::threadIdx().x});
      fl::for_(0, 8, [&](Scalar i) { out(fl::threadIdx().x, i) = tile[i]; });
    });
    fl::launch(body, {.grid = {1}, .block = {a.size() / 8}}, a, out);
  });
  fl::SymInt rows, columns, tiles;
  CompileOptions options = cpuOptions();
  options.checks = "none"; // guards would find the mistake first
  auto f = makeFunction(compileArtifact(
      host, {fl::fakeTensor(fl::f32, {rows, columns}), fl::fakeTensor(fl::f32, {tiles, 8})},
      options));
  std::vector<float> numbers(48);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  for (auto [r, c] : {std::pair<int64_t, int64_t>{16, 3}, {4, 12}, {1, 48}, {48, 1}}) {
    HostTensor<float> a(numbers, {r, c}, fl::f32),
        out(std::vector<float>(48, NAN), {6, 8}, fl::f32);
    f(&a.view, &out.view);
    for (int64_t i = 0; i < 48; ++i)
      EXPECT_EQ(out.data[i], a.data[i % r * c + i / r]) << i << " of " << r << " rows";
  }
  HostTensor<float> a(numbers, {6, 8}, fl::f32), out(std::vector<float>(48, NAN), {6, 8}, fl::f32);
  std::string message;
  try {
    f(&a.view, &out.view);
  } catch (const tvm::ffi::Error &error) {
    message = error.kind() + ": " + error.message();
  }
  EXPECT_EQ(message.find("AssertionError: composition of layouts: extents and strides divide"), 0u)
      << message;
}

} // namespace
} // namespace fairlead
