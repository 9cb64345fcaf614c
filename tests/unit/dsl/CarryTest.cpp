/// Regions and kernels of the C++ DSL whose values are tensors, layouts, structs and tiled forms.
#include "fairlead/dsl/Carry.h"
#include "artifact/Kernels.h"
#include "fairlead/dsl/atom/TiledMma.h"

namespace fairlead {
namespace {

using fl::Scalar;
using fl::Tensor;
using layout::IntTuple;
using layout::Layout;

template <typename Body> tvm::ffi::Function build(const Body &body) {
  auto host = fl::jit("host", {"a", "out", "n"}, [body](Tensor a, Tensor out, Scalar n) {
    fl::launch(fl::kernel("device", body), {.grid = {1}, .block = {1}}, a, out, n);
  });
  std::vector<fl::Fake> fakes{fl::fakeTensor(fl::i32, {16}), fl::fakeTensor(fl::i32, {16}),
                              fl::FakeScalar{fl::i32}};
  return makeFunction(compileArtifact(host, fakes, cpuOptions()));
}

std::vector<int32_t> run(const tvm::ffi::Function &function, int n) {
  std::vector<int32_t> counting(16);
  for (int i = 0; i < 16; ++i)
    counting[i] = 100 + i;
  HostTensor<int32_t> a(counting, {16}, DType::Int32);
  HostTensor<int32_t> out(std::vector<int32_t>(16, -1), {16}, DType::Int32);
  function(&a.view, &out.view, n);
  return out.data;
}

struct State {
  Tensor rest;
  Scalar sum;
  static constexpr auto kFields = std::make_tuple(&State::rest, &State::sum);
};

/// A tensor of the first `count` elements behind the first of another one.
Tensor behindFirst(const Tensor &tensor, int64_t count) {
  return fl::domainOffset(layout::Coordinate(layout::Int(1)), tensor)
      .withLayout(Layout(IntTuple(count)));
}

TEST(Carry, LoopsTakeStructsOfTensors) {
  auto f = build([](Tensor a, Tensor out, Scalar n) {
    State begin{a.withLayout(Layout(IntTuple(4))), Scalar(0)};
    State end = fl::forLoop(0, n, 1, begin, [](const Scalar &, const State &state) {
      return State{behindFirst(state.rest, 4), state.sum + state.rest[0]};
    });
    out[0] = end.sum;
    out[1] = end.rest[3];
  });
  std::vector<int32_t> out = run(f, 5);
  EXPECT_EQ(out[0], 100 + 101 + 102 + 103 + 104);
  EXPECT_EQ(out[1], 108);
  EXPECT_EQ(run(f, 0)[1], 103);
}

TEST(Carry, BranchesTakeLayoutsWithRunTimeStrides) {
  auto f = build([](Tensor a, Tensor out, Scalar n) {
    Layout narrow = fl::makeLayout(fl::tuple(4), fl::tuple(n));
    Layout chosen = fl::ifElse(
        n > 2, narrow, [&] { return fl::makeLayout(fl::tuple(4), fl::tuple(n - 2)); },
        [&] { return narrow; });
    EXPECT_EQ(chosen.str(), "(4):(?)");
    out[0] = a.withLayout(chosen)[3];
  });
  EXPECT_EQ(run(f, 2)[0], 106);
  EXPECT_EQ(run(f, 5)[0], 109);
}

TEST(Carry, WhileLoopsTakeTuples) {
  auto f = build([](Tensor a, Tensor out, Scalar n) {
    using Pair = std::tuple<Scalar, Scalar>;
    Pair last = fl::whileLoop(
        Pair{n, n}, [](const Pair &pair) { return std::get<0>(pair) > 1; },
        [](const Pair &pair) { return Pair{std::get<0>(pair) / 2, std::get<1>(pair) + 10}; });
    out[0] = std::get<0>(last);
    out[1] = std::get<1>(last);
    (void)a;
  });
  std::vector<int32_t> out = run(f, 9);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 39);
}

TEST(Carry, StructuresThatChangeAreErrors) {
  std::string message = "none";
  try {
    build([](Tensor a, Tensor, Scalar n) {
      fl::forLoop(0, n, 1, a.withLayout(Layout(IntTuple(4))),
                  [](const Scalar &, const Tensor &tensor) { return behindFirst(tensor, 3); });
    });
  } catch (const Error &error) {
    message = error.what();
  }
  EXPECT_NE(message.find("in a run-time `for`: only run-time values may change"), std::string::npos)
      << message;
  EXPECT_NE(message.find("Int32 tensor gmem 4:1"), std::string::npos) << message;
  EXPECT_NE(message.find("Int32 tensor gmem 3:1"), std::string::npos) << message;
}

TEST(Carry, KernelsTakeTiledForms) {
  auto host = fl::jit("host", {"out"}, [](Tensor out) {
    fl::TiledMma mma(fl::MmaAtom::universal(DType::Float32),
                     fl::makeLayout(fl::tuple(4, 4, 1), fl::tuple(1, 4, 0)));
    auto body = fl::kernel("device", [](fl::TiledMma mma, fl::MmaAtom atom, Tensor out) {
      EXPECT_EQ(atom.name, "universal.f32");
      out[fl::threadIdx().x] = fl::toScalar(mma.size());
    });
    fl::launch(body, {.grid = {1}, .block = {4}}, mma, mma.atom(), out);
  });
  auto f = makeFunction(compileArtifact(host, {fl::fakeTensor(fl::i32, {4})}, cpuOptions()));
  HostTensor<int32_t> out(std::vector<int32_t>(4, -1), {4}, DType::Int32);
  f(&out.view);
  EXPECT_EQ(out.data, std::vector<int32_t>(4, 16));
}

} // namespace
} // namespace fairlead
