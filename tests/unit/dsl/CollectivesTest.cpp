/// Votes, shuffles, atomics, barriers and values carried through control flow, in the C++ DSL.
#include <bit>
#include <numeric>

#include "artifact/Kernels.h"

namespace fairlead {
namespace {

using fl::Scalar;
using fl::Tensor;

/// The rows of 8 numbers that 64 threads write, for the inputs of themselves and of others.
template <typename Body> std::vector<int32_t> rows(Body body) {
  auto host = fl::jit("host", {"a", "out"}, [=](Tensor a, Tensor out) {
    fl::LaunchConfig config;
    config.block[0] = 64;
    fl::launch(fl::kernel("device", body), config, a, out);
  });
  auto f = makeFunction(compileArtifact(
      host, {fl::fakeTensor(fl::i32, {64}), fl::fakeTensor(fl::i32, {64, 8})}, cpuOptions()));
  std::vector<int32_t> given(64);
  for (int t = 0; t < 64; ++t)
    given[t] = (t * 37) % 64;
  HostTensor<int32_t> a(given, {64}, DType::Int32),
      out(std::vector<int32_t>(512, -7), {64, 8}, DType::Int32);
  f(&a.view, &out.view);
  return out.data;
}
int given(int t) { return (t * 37) % 64; }

TEST(Collectives, Votes) {
  auto got = rows([](Tensor a, Tensor out) {
    Scalar t = fl::threadIdx().x, x = a[t];
    auto asInt = [](const Scalar &value) { return fl::cast(value, fl::i32); };
    out(t, 0) = asInt(fl::vote(fl::Vote::Any, x == 5));
    out(t, 1) = asInt(fl::vote(fl::Vote::All, x < 64));
    out(t, 2) = asInt(fl::vote(fl::Vote::Uniform, x > 100));
    out(t, 3) = asInt(fl::vote(fl::Vote::Ballot, x % 3 == 0));
    Scalar first = fl::electOne();
    out(t, 4) = asInt(first);
  });
  for (int t = 0; t < 64; ++t) {
    int begin = t / 32 * 32;
    uint32_t ballot = 0;
    bool any = false;
    for (int lane = 0; lane < 32; ++lane) {
      ballot |= uint32_t{given(begin + lane) % 3 == 0} << lane;
      any = any || given(begin + lane) == 5;
    }
    EXPECT_EQ(got[8 * t], any);
    EXPECT_EQ(got[8 * t + 1], 1);
    EXPECT_EQ(got[8 * t + 2], 1);
    EXPECT_EQ(got[8 * t + 3], std::bit_cast<int32_t>(ballot));
    EXPECT_EQ(got[8 * t + 4], t % 32 == 0);
  }
}

TEST(Collectives, Shuffles) {
  auto got = rows([](Tensor a, Tensor out) {
    Scalar t = fl::threadIdx().x, x = a[t];
    out(t, 0) = fl::shuffle(fl::Shuffle::Index, x, (t + 5) % 32);
    out(t, 1) = fl::shuffle(fl::Shuffle::Up, x, 3, fl::kFullMask, 0);
    out(t, 2) = fl::shuffle(fl::Shuffle::Down, x, 3);
    out(t, 3) = fl::shuffle(fl::Shuffle::Butterfly, x, 6);
    out(t, 4) = fl::warpReduce(x, [](Scalar p, Scalar q) { return p ^ q; }, 8);
    fl::syncWarp();
    out(t, 5) = fl::laneIdx() * 100 + fl::warpIdx();
  });
  for (int t = 0; t < 64; ++t) {
    int lane = t % 32, begin = t - lane, xored = 0;
    for (int i = 0; i < 8; ++i)
      xored ^= given(t / 8 * 8 + i);
    EXPECT_EQ(got[8 * t], given(begin + (t + 5) % 32));
    EXPECT_EQ(got[8 * t + 1], given(lane < 3 ? t : t - 3));
    EXPECT_EQ(got[8 * t + 2], given(lane + 3 > 31 ? t : t + 3));
    EXPECT_EQ(got[8 * t + 3], given(begin + (lane ^ 6)));
    EXPECT_EQ(got[8 * t + 4], xored);
    EXPECT_EQ(got[8 * t + 5], lane * 100 + t / 32);
  }
}

TEST(Collectives, AtomicsAndBarriers) {
  auto got = rows([](Tensor a, Tensor out) {
    Scalar t = fl::threadIdx().x, x = a[t];
    fl::Pointer cells = fl::allocateShared(fl::i32, 16, 16);
    EXPECT_EQ(fl::sharedBytes(), 16);
    fl::if_(t < 4, [&] { (cells + t).store(fl::select(t == 1, 1000, 0)); });
    fl::syncThreads();
    fl::atomic(fl::AtomicOp::Max, cells, x);
    fl::atomic(fl::AtomicOp::Min, cells + 1, x);
    fl::atomic(fl::AtomicOp::Or, cells + 2, fl::select(t % 2 == 0, x, 0),
               fl::AtomicOrder::AcquireRelease, fl::AtomicScope::Block);
    Scalar before = fl::atomicCompareExchange(cells + 3, 0, t + 1);
    fl::fence(fl::AtomicScope::Block);
    fl::barrier(1, 64);
    out(t, 0) = cells.load();
    out(t, 1) = (cells + 1).load();
    out(t, 2) = (cells + 2).load();
    out(t, 3) = fl::cast(before == 0, fl::i32);
    out(t, 4) = (cells + 3).load();
    out(t, 5) = fl::dynamicSharedBytes();
  });
  int ored = 0, winners = 0, winner = -1;
  for (int t = 0; t < 64; t += 2)
    ored |= given(t);
  for (int t = 0; t < 64; ++t)
    if (got[8 * t + 3])
      ++winners, winner = t;
  EXPECT_EQ(winners, 1);
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(got[8 * t], 63);
    EXPECT_EQ(got[8 * t + 1], 0);
    EXPECT_EQ(got[8 * t + 2], ored);
    EXPECT_EQ(got[8 * t + 4], winner + 1);
    EXPECT_EQ(got[8 * t + 5], 16);
  }
}

/// Values carried by hand, which host functions do too: how often and how wide a launch is.
TEST(Collectives, CarriedValues) {
  auto host = fl::jit("host", {"n", "out"}, [](Scalar n, Tensor out) {
    fl::Scalars sum =
        fl::forLoop(0, n, 1, {{"sum", 0}}, [](const Scalar &i, const fl::Scalars &carried) {
          return fl::Scalars{carried[0] + i};
        });
    fl::Scalars half = fl::whileLoop(
        {{"x", n}, {"steps", 0}}, [](const fl::Scalars &x) { return x[0] > 1; },
        [](const fl::Scalars &x) { return fl::Scalars{x[0] / 2, x[1] + 1}; });
    fl::Scalars sign = fl::ifElse(
        n > 10, {{"s", 0}}, [] { return fl::Scalars{1}; }, [] { return fl::Scalars{-1}; });
    Scalar chosen = fl::conditional(
        n > 10, [&] { return fl::Scalars{n * 2}; }, [&] { return fl::Scalars{n * 3}; })[0];
    auto body = fl::kernel("device", [](Tensor out, std::array<Scalar, 4> values) {
      Scalar t = fl::threadIdx().x;
      for (int i = 0; i < 4; ++i)
        fl::if_(t == i, [&] { out[t] = values[i]; });
    });
    fl::LaunchConfig config;
    config.block[0] = 4;
    fl::launch(body, config, out, std::array<Scalar, 4>{sum[0], half[1], sign[0], chosen});
  });
  auto f = makeFunction(
      compileArtifact(host, {fl::FakeScalar{fl::i32}, fl::fakeTensor(fl::i32, {4})}, cpuOptions()));
  for (int n : {1, 10, 11, 100}) {
    HostTensor<int32_t> out(std::vector<int32_t>(4, -9), {4}, DType::Int32);
    f(n, &out.view);
    int steps = 0;
    for (int x = n; x > 1; x /= 2)
      ++steps;
    EXPECT_EQ(out.data, (std::vector<int32_t>{n * (n - 1) / 2, steps, n > 10 ? 1 : -1,
                                              n > 10 ? 2 * n : 3 * n}));
  }
}

TEST(Collectives, TransposedMatrices) {
  auto got = rows([](Tensor a, Tensor out) {
    Scalar t = fl::threadIdx().x;
    out(t, 0) = fl::transposeMatrix(a[t]);
    out(t, 1) = fl::transposeMatrix(fl::cast(a[t], fl::u32));
  });
  auto element = [](int t, int half) { return given(t) >> 16 * half & 0xffff; };
  for (int t = 0; t < 64; ++t) {
    const int row = t % 32 / 4, column = 2 * (t % 4), warp = t / 32 * 32;
    auto transposed = [&](int half) {
      return element(warp + 4 * (column + half) + row / 2, row % 2);
    };
    EXPECT_EQ(got[8 * t], transposed(0) | transposed(1) << 16);
    EXPECT_EQ(got[8 * t + 1], got[8 * t]);
  }
}

std::string problemOf(const std::function<void(Scalar)> &body) {
  try {
    compileMap(fl::i32, fl::i32, [&](Scalar x) {
      body(x);
      return x;
    });
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(Collectives, OperandsOfOperations) {
  auto has = [](const std::string &text, const std::string &part) {
    return text.find("operation " + part) != std::string::npos;
  };
  EXPECT_TRUE(has(problemOf([](Scalar x) { fl::transposeMatrix(fl::cast(x, fl::i64)); }),
                  "`transpose_matrix`: operand #0 must be 32-bit signless integer, but got 'i64'"));
  EXPECT_TRUE(has(problemOf([](Scalar x) { fl::operation("transpose_matrix", {x, x}); }),
                  "`transpose_matrix`: requires a single operand"));
  EXPECT_TRUE(has(problemOf([](Scalar x) { fl::operation("no_such_operation", {x}); }),
                  "`no_such_operation`: "));
  auto replaceExtent = [](Scalar x) {
    fl::OperationForm form;
    form.attributes.emplace_back("field", std::string("extent"));
    fl::operation("map_replace", std::vector<fl::OperationOperand>{x, x}, form);
  };
  EXPECT_TRUE(has(problemOf(replaceExtent), "`map_replace`: operand #0 must be an address of a "
                                            "tensor map in global or shared memory"));
}

TEST(Collectives, FormattedText) {
  auto host =
      fl::jit("host", {"x"}, [](Scalar x) { fl::printFormatted("%d and %5.2f\n", {7, x}); });
  auto f = makeFunction(compileArtifact(host, {fl::FakeScalar{fl::f32}}, cpuOptions()));
  testing::internal::CaptureStdout();
  f(1.5);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "7 and  1.50\n");
}

Scalar highProduct(const Scalar &x) {
  return fl::inlineAssembly({fl::i32}, {x, 77}, "mul.hi.s32 $0, $1, $2;", "=r,r,r", false)[0];
}

TEST(Collectives, AssemblyIsPtx) {
  CompileOptions options;
  options.target = Target::parse("cuda:sm_90a", "the test");
  options.cache = false;
  auto artifact = compileMap(
      fl::i32, fl::i32,
      [](Scalar x) {
        fl::Scalars both =
            fl::inlineAssembly({fl::i32, fl::boolean}, {x},
                               "{ mov.u32 $0, %smid; set.gt.u32.s32 $1, $2, 3; }", "=r,=r,r");
        return highProduct(x) + fl::select(both[1], both[0], 0);
      },
      options);
  EXPECT_NE(artifact->ptx().find("mul.hi.s32"), std::string::npos);
  EXPECT_NE(artifact->ptx().find("%smid"), std::string::npos);
}

} // namespace
} // namespace fairlead
