#include <cmath>
#include <cstring>
#include <random>

#include "Kernels.h"

namespace fairlead {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<float> randomFloats(size_t count, float low, float high) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(random);
  return values;
}

/// Runs b = f(a) for odd lengths and compares with the reference in double.
template <typename Body>
void expectMap(Body body, double (*reference)(double), double tolerance, float low, float high) {
  tvm::ffi::Function f = makeFunction(compileMap(DType::Float32, DType::Float32, body));
  for (int64_t n : {1, 7, 127, 128, 129, 1000, 4099}) {
    HostTensor<float> a(randomFloats(n, low, high), {n}, DType::Float32),
        b(std::vector<float>(n, kNaN), {n}, DType::Float32);
    f(&a.view, &b.view);
    for (int64_t i = 0; i < n; ++i) {
      double expected = reference(a.data[i]);
      ASSERT_LE(std::abs(b.data[i] - expected), tolerance * std::max(1.0, std::abs(expected)))
          << "n " << n << " i " << i << " x " << a.data[i];
    }
  }
}

TEST(Compile, Arithmetic) {
  expectMap([](fl::Scalar x) { return x * 2.0f + 1.0f; }, [](double x) { return x * 2 + 1; }, 1e-6,
            -10, 10);
}

TEST(Compile, MathFunctions) {
  expectMap([](fl::Scalar x) { return fl::exp(x); }, [](double x) { return std::exp(x); }, 5e-7, -5,
            5);
  expectMap([](fl::Scalar x) { return fl::log(x); }, [](double x) { return std::log(x); }, 5e-7,
            0.01f, 50);
  expectMap([](fl::Scalar x) { return fl::sin(x) + fl::cos(x); },
            [](double x) { return std::sin(x) + std::cos(x); }, 1e-6, -6, 6);
  expectMap([](fl::Scalar x) { return fl::tanh(x); }, [](double x) { return std::tanh(x); }, 5e-7,
            -4, 4);
  expectMap([](fl::Scalar x) { return fl::rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); },
            5e-7, 0.01f, 50);
  expectMap([](fl::Scalar x) { return fl::unary(fl::UnaryOp::Erf, x); },
            [](double x) { return std::erf(x); }, 5e-7, -3, 3);
}

TEST(Compile, InPlace) {
  tvm::ffi::Function f = makeFunction(
      compileMap(DType::Float32, DType::Float32, [](fl::Scalar x) { return x + 1.0f; }));
  HostTensor<float> a(std::vector<float>(1001, 1.0f), {1001}, DType::Float32);
  f(&a.view, &a.view);
  for (float value : a.data)
    ASSERT_EQ(value, 2.0f);
}

TEST(Compile, EmptyTensorsLaunchNothing) {
  tvm::ffi::Function f =
      makeFunction(compileMap(DType::Float32, DType::Float32, [](fl::Scalar x) { return x; }));
  HostTensor<float> a({}, {0}, DType::Float32);
  EXPECT_NO_THROW(f(&a.view, &a.view));
}

/// Nearest, ties to even, computed with integers.
uint16_t toBfloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

TEST(Compile, BfloatRoundsToNearestEven) {
  tvm::ffi::Function f = makeFunction(compileMap(
      DType::Float32, DType::BFloat16, [](fl::Scalar x) { return fl::cast(x, DType::BFloat16); }));
  std::vector<float> values = randomFloats(4096, -1e30f, 1e30f);
  for (uint32_t bits :
       {0x3f808000u, 0x3f818000u, 0x3f808001u, 0x7f7fffffu, 0x00000001u, 0x80000000u}) {
    float value;
    std::memcpy(&value, &bits, 4);
    values.push_back(value);
  }
  auto n = static_cast<int64_t>(values.size());
  HostTensor<float> a(values, {n}, DType::Float32);
  HostTensor<uint16_t> b(std::vector<uint16_t>(n, 0xffff), {n}, DType::BFloat16);
  f(&a.view, &b.view);
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(b.data[i], toBfloat(values[i])) << values[i];
}

TEST(Compile, DoubleToBfloatRoundsOnce) {
  // Halfway between two bfloats but for a bit that a float does not hold: rounding twice would go
  // the other way.
  double justAbove = 1.0 + 0x1p-8 + 0x1p-40, justBelow = 1.0 + 3 * 0x1p-8 - 0x1p-40;
  tvm::ffi::Function f = makeFunction(compileMap(
      DType::Float64, DType::BFloat16, [](fl::Scalar x) { return fl::cast(x, DType::BFloat16); }));
  HostTensor<double> a({justAbove, justBelow, -justAbove}, {3}, DType::Float64);
  HostTensor<uint16_t> b({0, 0, 0}, {3}, DType::BFloat16);
  f(&a.view, &b.view);
  EXPECT_EQ(b.data, (std::vector<uint16_t>{0x3f81, 0x3f81, 0xbf81}));
}

TEST(Compile, ScalarsOfHalfTheWidth) {
  auto host = fl::jit("fill", {"b", "x", "y"}, [](fl::Tensor b, fl::Scalar x, fl::Scalar y) {
    auto kernel = fl::kernel("fill_kernel", [](fl::Tensor b, fl::Scalar x, fl::Scalar y) {
      b[fl::threadIdx().x] = fl::cast(x, DType::Float32) + fl::cast(y, DType::Float32);
    });
    fl::launch(kernel, {{1}, {4}, {}, 0}, b, x, y);
  });
  auto artifact = compileArtifact(host,
                                  {fl::fakeTensor(DType::Float32, {4}),
                                   fl::FakeScalar{DType::BFloat16}, fl::FakeScalar{DType::Float16}},
                                  cpuOptions());
  HostTensor<float> b({0, 0, 0, 0}, {4}, DType::Float32);
  // 1 + 2^-9 is 1 as a bfloat16; 2^-9 is a float16.
  makeFunction(artifact)(&b.view, 1.0 + 0x1p-9, 0x1p-9);
  EXPECT_EQ(b.data, std::vector<float>(4, 1.0f + 0x1p-9f));
}

TEST(Compile, LoopsCarryValues) {
  // Rows of a matrix summed by one thread each, backwards.
  auto host = fl::jit("row_sums", {"a", "b"}, [](fl::Tensor a, fl::Tensor b) {
    auto kernel = fl::kernel("sum", [](fl::Tensor a, fl::Tensor b) {
      fl::Scalar row = fl::threadIdx().x;
      fl::Scalars sums = fl::forLoop(a.shape(1) - 1, -1, -1, {{"sum", 0.0}},
                                     [&](const fl::Scalar &column, const fl::Scalars &carried) {
                                       return fl::Scalars{carried[0] + a(row, column)};
                                     });
      b[row] = sums[0];
    });
    fl::launch(kernel, {{1}, {5}, {}, 0}, a, b);
  });
  fl::SymInt n;
  tvm::ffi::Function f = makeFunction(compileArtifact(
      host, {fl::fakeTensor(DType::Float32, {5, n}), fl::fakeTensor(DType::Float32, {5})},
      cpuOptions()));
  std::vector<float> values = randomFloats(5 * 33, -1, 1);
  HostTensor<float> a(values, {5, 33}, DType::Float32),
      b(std::vector<float>(5, kNaN), {5}, DType::Float32);
  f(&a.view, &b.view);
  for (int row = 0; row < 5; ++row) {
    double expected = 0;
    for (int column = 0; column < 33; ++column)
      expected += values[row * 33 + column];
    EXPECT_NEAR(b.data[row], expected, 1e-4);
  }
}

TEST(Compile, WholeTensorShapesAreCheckedAtTheCall) {
  auto host = fl::jit("copy", {"a", "b"}, [](fl::Tensor a, fl::Tensor b) { b.assign(a); });
  fl::SymInt n, m;
  tvm::ffi::Function f = makeFunction(compileArtifact(
      host, {fl::fakeTensor(DType::Float32, {n}), fl::fakeTensor(DType::Float32, {m})},
      cpuOptions()));
  HostTensor<float> a({1, 2, 3}, {3}, DType::Float32), b({0, 0, 0}, {3}, DType::Float32),
      c({0, 0}, {2}, DType::Float32);
  f(&a.view, &b.view);
  EXPECT_EQ(b.data, a.data);
  EXPECT_THROW(f(&a.view, &c.view), tvm::ffi::Error);
}

TEST(Compile, PhasesAreNamed) {
  auto artifact = compileMap(DType::Float32, DType::Float32, [](fl::Scalar x) { return x; });
  std::vector<std::string> names;
  artifact->entry();
  for (const Phase &phase : artifact->phases())
    names.push_back(phase.name);
  EXPECT_EQ(names, (std::vector<std::string>{"lower", "optimise", "codegen", "load"}));
}

TEST(Compile, CudaNeedsNoDevice) {
  CompileOptions options;
  options.target = Target::parse("cuda:sm_90a", "the test");
  options.cache = false;
  auto artifact =
      compileMap(DType::Float32, DType::Float32, [](fl::Scalar x) { return x + 1.0f; }, options);
  EXPECT_NE(artifact->ptx().find(".target sm_90a"), std::string::npos);
  EXPECT_NE(artifact->entry(), nullptr);
  HostTensor<float> a({1}, {1}, DType::Float32);
  try {
    makeFunction(artifact)(&a.view, &a.view);
    FAIL() << "a CPU tensor was accepted";
  } catch (const tvm::ffi::Error &error) {
    EXPECT_NE(
        std::string(error.what()).find("compiled for cuda:sm_90a, but the tensor is on cpu:0"),
        std::string::npos)
        << error.what();
  }
}

} // namespace
} // namespace fairlead
