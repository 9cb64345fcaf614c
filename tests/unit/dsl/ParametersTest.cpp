/// Parameters of functions and kernels of the C++ DSL besides tensors and numbers, and descriptions
/// of arguments.
#include <numeric>

#include "artifact/Kernels.h"

namespace fairlead {
namespace parameters_test {
namespace {

using fl::Scalar;
using fl::Tensor;
using layout::IntTuple;
using layout::Layout;

/// The message of the fairlead::Error that `body` throws, with its kind in front, without its line.
template <typename Body> std::string errorOf(Body body) {
  try {
    body();
  } catch (const Error &error) {
    const std::string text = error.what(), file = __FILE__;
    const size_t place = text.starts_with(file) ? text.find(": ") + 2 : 0;
    return error.kind() + ": " + text.substr(place);
  }
  return "no error";
}

template <typename Host>
tvm::ffi::Function build(const Host &host, const std::vector<fl::Fake> &fakes) {
  return makeFunction(compileArtifact(host, fakes, cpuOptions()));
}

std::vector<int32_t> counting(size_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(Parameters, LayoutsOfKernels) {
  // Extents, strides and a coordinate that are partly known only at run time.
  auto host = fl::jit("host", {"n", "out"}, [](Scalar n, Tensor out) {
    Layout layout = fl::makeLayout(fl::tuple(4, fl::tuple(2, n)), fl::tuple(1, fl::tuple(100, 4)));
    auto body = fl::kernel("device", [](Layout layout, IntTuple shift, Tensor out) {
      EXPECT_EQ(layout.str(), "(4,(2,?)):(1,(100,4))");
      EXPECT_EQ(shift.str(), "(1,(?,3))");
      Scalar t = fl::threadIdx().x;
      fl::if_(t >= 3 && t < fl::toScalar(layout::size(layout, fl::arithmetic())),
              [&] { out[t] = fl::indexOf(fl::tuple(t), fl::makeLayout(fl::tuple(1000))); });
      fl::if_(t == 0, [&] {
        out[0] = fl::indexOf(shift, layout);
        out[1] = fl::indexOf(fl::tuple(3, 5), layout);
        out[2] = fl::indexOf(IntTuple(23), layout);
      });
    });
    fl::launch(body, {.grid = {1}, .block = {64}}, layout, fl::tuple(1, fl::tuple(n - 2, 3)), out);
  });
  auto f = build(host, {fl::FakeScalar{fl::i32}, fl::fakeTensor(fl::i32, {64})});
  HostTensor<int32_t> out(std::vector<int32_t>(64, -1), {64}, DType::Int32);
  f(3, &out.view);
  EXPECT_EQ(out.data[0], 1 + 1 * 100 + 3 * 4);
  EXPECT_EQ(out.data[1], 3 + 1 * 100 + 2 * 4);
  EXPECT_EQ(out.data[2], 3 + 1 * 100 + 2 * 4);
  EXPECT_EQ(out.data[23], 23);
  EXPECT_EQ(out.data[24], -1);
}

struct Tile {
  Tensor data;
  Layout threads;
  std::array<Scalar, 2> origin;
  std::optional<Tensor> bias;
  std::optional<Scalar> scale;
  static constexpr auto kFields =
      std::make_tuple(&Tile::data, &Tile::threads, &Tile::origin, &Tile::bias, &Tile::scale);
  Tile() : threads(IntTuple(1)) {}
};

TEST(Parameters, StructsOfArraysOptionalsAndLayouts) {
  for (bool biased : {false, true}) {
    auto host = fl::jit(
        "host", {"a", "bias", "x", "y", "out"},
        [](Tensor a, std::optional<Tensor> bias, std::array<Scalar, 2> origin, Tensor out) {
          auto body = fl::kernel("device", [](Tile tile, std::vector<Tensor> outs) {
            EXPECT_FALSE(tile.scale);
            Tensor part = fl::localPartition(tile.data, tile.threads, fl::threadIdx().x);
            EXPECT_EQ(part.layoutStr(), "(2,2):(2,16)");
            Scalar value = part(0, 0) + part(1, 1) + tile.origin[0] * 1000 + tile.origin[1] * 10000;
            if (tile.bias)
              value = value + (*tile.bias)[fl::threadIdx().x];
            for (Tensor &out : outs)
              out[fl::threadIdx().x] += value;
          });
          Tile tile;
          tile.data = a;
          tile.threads = fl::makeLayout(fl::tuple(2, 4), fl::tuple(4, 1));
          tile.origin = origin;
          tile.bias = bias;
          fl::launch(body, {.grid = {1}, .block = {8}}, tile, std::vector<Tensor>{out, out});
        });
    fl::Fake bias = fl::FakeNone();
    if (biased)
      bias = fl::fakeTensor(fl::i32, {8});
    auto f = build(host, {fl::fakeTensor(fl::i32, {4, 8}, std::vector<int>{0, 1}), bias,
                          fl::FakeScalar{fl::i32}, fl::FakeScalar{fl::i32},
                          fl::fakeTensor(fl::i32, {8})});
    // Column-major, so that DLPack gets the strides.
    HostTensor<int32_t> a(counting(32), {4, 8}, DType::Int32), more(counting(8), {8}, DType::Int32),
        out(std::vector<int32_t>(8, 0), {8}, DType::Int32);
    int64_t strides[] = {1, 4};
    a.view.strides = strides;
    if (biased)
      f(&a.view, &more.view, 3, 5, &out.view);
    else
      f(&a.view, 3, 5, &out.view);
    for (int t = 0; t < 8; ++t) {
      int row = t / 4, column = t % 4;
      int expected = (row + 4 * column) + (row + 2 + 4 * (column + 4)) + 53000 + biased * t;
      EXPECT_EQ(out.data[t], 2 * expected) << t;
    }
  }
}

TEST(Parameters, CoordinateTensorsAndPointersOfKernels) {
  auto host = fl::jit("host", {"n", "out"}, [](Scalar n, Tensor out) {
    auto body = fl::kernel("device", [](fl::CoordTensor places, fl::Swizzle swizzle,
                                        std::tuple<fl::Pointer, Scalar> target) {
      EXPECT_EQ(swizzle.bits, 2);
      IntTuple place = places.at(fl::tuple(1, 2));
      auto [out, n] = target;
      out.store(fl::leaves(place)[0] + n);
      (out + 1).store(fl::leaves(place)[1]);
    });
    fl::CoordTensor places = fl::domainOffset(
        layout::Coordinate(std::vector<layout::Coordinate>{fl::toInt(n), layout::Int(5)}),
        fl::identityTensor(fl::tuple(8, 16)));
    fl::launch(body, {}, places, fl::Swizzle{2, 0, 2}, std::make_tuple(fl::Pointer(out), n));
  });
  auto f = build(host, {fl::FakeScalar{fl::i32}, fl::fakeTensor(fl::i32, {2})});
  HostTensor<int32_t> out({0, 0}, {2}, DType::Int32);
  f(40, &out.view);
  EXPECT_EQ(out.data, (std::vector<int32_t>{81, 7}));
}

TEST(Parameters, LayoutsOfFunctions) {
  // Described as one, or as two tuples.
  auto host = fl::jit("host", {"layout", "out"}, [](Layout layout, Tensor out) {
    EXPECT_EQ(layout.str(), "(4,(?,2)):(?,(4,100))");
    out[0] = fl::indexOf(fl::tuple(3, fl::tuple(2, 1)), layout);
    out[1] = fl::toScalar(layout::size(layout, fl::arithmetic()));
  });
  fl::FakeScalar number{fl::i32};
  fl::FakeTuple shape{4, {number, 2}}, stride{number, {4, 100}};
  auto artifact = compileArtifact(
      host, {fl::FakeLayout{shape, stride}, fl::fakeTensor(fl::i32, {2})}, cpuOptions());
  EXPECT_EQ(artifact->signature().str(), "host(layout.shape[1][0]: int32, layout.stride[0]: int32, "
                                         "out: Tensor([2], int32))");
  HostTensor<int32_t> out({0, 0}, {2}, DType::Int32);
  makeFunction(artifact)(5, 7, &out.view);
  EXPECT_EQ(out.data, (std::vector<int32_t>{3 * 7 + 2 * 4 + 100, 4 * 5 * 2}));
  EXPECT_EQ(errorOf([&] {
              build(host, {fl::FakeLayout{shape, {1, 2}}, fl::fakeTensor(fl::i32, {2})});
            }).substr(0, 10),
            "TypeError:");
  EXPECT_EQ(errorOf([&] {
              build(fl::jit("f", {"t"}, [](Tensor) {}), {fl::FakeLayout{shape, stride}});
            }).substr(0, 10),
            "TypeError:");
}

TEST(Parameters, FactsForCallersByKeyword) {
  std::vector<fl::Parameter> parameters{"a",         {"flag", true},    {"count", -3},
                                        {"by", 0.5}, {"none", nullptr}, {"odd", 1.0 / 0.0},
                                        "shape",     "stream"};
  fl::FakeScalar number{fl::i32};
  std::vector<fl::Fake> fakes{fl::fakeTensor(fl::f32, {4}),
                              number,
                              number,
                              number,
                              fl::FakeNone(),
                              number,
                              fl::FakeTuple{4, {number, 2}},
                              fl::FakeStream{.environment = true}};
  auto facts = fl::callFacts(parameters, fakes);
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].first, "call");
  EXPECT_EQ(
      facts[0].second,
      R"("{\"names\":[\"a\",\"flag\",\"count\",\"by\",\"none\",\"odd\",\"shape\"],\"positional\":7,)"
      R"(\"defaults\":[[],[true],[-3],[0.5],[null],[],[]],)"
      R"(\"forms\":[0,0,0,0,null,0,{\"t\":[{\"=\":4},{\"t\":[0,{\"=\":2}]}]}]}")");
  fakes.pop_back();
  EXPECT_EQ(errorOf([&] { fl::callFacts(parameters, fakes); }).substr(0, 10), "TypeError:");
}

TEST(Parameters, TuplesOfIntegersOfFunctions) {
  fl::SymInt n;
  auto host = fl::jit("host", {"shape", "perm", "k", "out"},
                      [](IntTuple shape, IntTuple perm, IntTuple k, Tensor out) {
                        EXPECT_EQ(shape.str(), "(?,(4,?{i64}))");
                        EXPECT_EQ(perm, fl::tuple(1, 0));
                        out[0] = fl::leaves(shape)[0];
                        out[1] = fl::leaves(shape)[2];
                        out[2] = fl::toScalar(k.leaf());
                        out[3] = fl::toScalar(layout::size(shape, fl::arithmetic()));
                      });
  auto artifact =
      compileArtifact(host,
                      {fl::FakeTuple{n, {4, fl::FakeScalar{fl::i64}}}, fl::FakeTuple{1, 0},
                       fl::FakeScalar{fl::i32}, fl::fakeTensor(fl::i64, {n})},
                      cpuOptions());
  EXPECT_EQ(artifact->signature().str(),
            "host(shape[0]: int32, shape[1][1]: int64, k: int32, out: Tensor([n0], int64))");
  auto f = makeFunction(artifact);
  HostTensor<int64_t> out(std::vector<int64_t>(5, 0), {5}, DType::Int64);
  f(5, 7, 9, &out.view);
  EXPECT_EQ(out.data, (std::vector<int64_t>{5, 7, 9, 140, 0}));
  EXPECT_THROW(f(4, 7, 9, &out.view), tvm::ffi::Error); // shape[0] is out's extent
}

TEST(Parameters, LayoutsOfFunctionsAreTwoTuples) {
  auto host = fl::jit("host", {"shape", "stride", "out"}, [](Layout layout, Tensor out) {
    EXPECT_EQ(layout.str(), "(4,?):(?,1)");
    out[0] = fl::indexOf(fl::tuple(1, 2), layout);
  });
  fl::FakeScalar i{fl::i32};
  auto f = build(host, {fl::FakeTuple{4, i}, fl::FakeTuple{i, 1}, fl::fakeTensor(fl::i32, {1})});
  HostTensor<int32_t> out({0}, {1}, DType::Int32);
  f(8, 30, &out.view);
  EXPECT_EQ(out.data[0], 32);
  EXPECT_EQ(errorOf([&] {
              build(host, {fl::FakeTuple{4, i}, fl::FakeTuple{1}, fl::fakeTensor(fl::i32, {1})});
            }),
            "TypeError: `host` expects argument #1 (stride) to be strides nested as the shape is, "
            "but got (1)");
}

TEST(Parameters, StreamsAreArguments) {
  auto host = fl::jit("host", {"out", "stream"}, [](Tensor out, fl::Stream stream) {
    auto body = fl::kernel("device", [](Tensor out) { out[fl::threadIdx().x] = 7; });
    fl::launch(body, {.grid = {1}, .block = {4}, .stream = stream}, out);
  });
  for (bool environment : {false, true}) {
    auto f = build(host, {fl::fakeTensor(fl::i32, {4}), fl::FakeStream{environment}});
    HostTensor<int32_t> out(counting(4), {4}, DType::Int32);
    if (environment)
      f(&out.view);
    else
      f(&out.view, static_cast<void *>(nullptr));
    EXPECT_EQ(out.data, std::vector<int32_t>(4, 7));
  }
}

TEST(Parameters, ByNameInTheRegistry) {
  auto host = fl::jit("host", {"a"}, [](Tensor a) { a[0] += 1; });
  tvm::ffi::Function::SetGlobal("fairlead.test.cpp_increment",
                                build(host, {fl::fakeTensor(fl::i32, {1})}), true);
  auto f = tvm::ffi::Function::GetGlobalRequired("fairlead.test.cpp_increment");
  HostTensor<int32_t> a({41}, {1}, DType::Int32);
  f(&a.view);
  EXPECT_EQ(a.data[0], 42);
}

TEST(Parameters, TensorsAsExamples) {
  HostTensor<float> a(std::vector<float>(32), {4, 8}, DType::Float32),
      line(std::vector<float>(4), {4, 1}, DType::Float32),
      one(std::vector<float>(1), {1, 1}, DType::Float32);
  auto host = fl::jit("f", {"a"}, [](Tensor a) { a(0, 0) = 1.0f; });
  auto text = [&](const fl::FakeTensor &fake) {
    auto artifact = compileArtifact(host, {fake}, cpuOptions());
    return artifact->signature().str();
  };
  EXPECT_EQ(text(fl::fakeLike(a.view)), "f(a: Tensor([4, 8], float32))");
  fl::FakeTensor any = fl::fakeDynamicLike(a.view);
  EXPECT_EQ(any.space, AddressSpace::Generic);
  EXPECT_EQ(text(any), "f(a: Tensor([n0, n1], float32))");
  EXPECT_EQ(std::get<int64_t>(any.strides[1]), 1);
  EXPECT_TRUE(std::holds_alternative<fl::SymInt>(any.strides[0]));
  EXPECT_EQ(std::get<int64_t>(fl::fakeDynamicLike(line.view).strides[0]), 1);
  EXPECT_EQ(std::get<int64_t>(fl::fakeDynamicLike(one.view, -1).strides[1]), 1);
  EXPECT_NE(errorOf([&] {
              fl::fakeDynamicLike(one.view);
            }).find("Can't deduce the leading dimension from layout (1,1):(1,1)"),
            std::string::npos);
  EXPECT_EQ(errorOf([&] { fl::fakeDynamicLike(a.view, 0); }),
            "RuntimeError: Expected strides[leadingMode] == 1, but got 8");
  EXPECT_EQ(errorOf([&] { fl::fakeDynamicLike(a.view, 2); }),
            "RuntimeError: Expected leadingMode to be in range [-2, 2), but got 2");
  a.view.dtype.lanes = 4;
  EXPECT_NE(errorOf([&] { fl::fakeLike(a.view); }).find("cannot take elements of type"),
            std::string::npos);
}

TEST(Parameters, WrongDescriptions) {
  auto host = fl::jit("f", {"a", "n"}, [](Tensor, Scalar) {});
  fl::Fake tensor = fl::fakeTensor(fl::f32, {4}), number = fl::FakeScalar{fl::i32};
  auto message = [&](const std::vector<fl::Fake> &fakes) {
    return errorOf([&] { compileArtifact(host, fakes, cpuOptions()); });
  };
  EXPECT_EQ(message({tensor}), "TypeError: `f` has 2 parameters, but 1 arguments are given");
  EXPECT_EQ(message({number, tensor}),
            "TypeError: `f` expects argument #0 (a) to be a tensor, but got FakeScalar");
  EXPECT_EQ(message({tensor, tensor}),
            "TypeError: `f` expects argument #1 (n) to be a number, but got FakeTensor");
  EXPECT_EQ(message({tensor, fl::FakeNone()}),
            "TypeError: `f` expects argument #1 (n) to be a number, but got FakeNone");
  auto named = fl::jit("g", {"a", "n", "m"}, [](Tensor, Scalar) {});
  EXPECT_EQ(errorOf([&] { compileArtifact(named, {tensor, number, number}, cpuOptions()); }),
            "TypeError: `g` has 2 parameters, but 3 arguments are given");
  auto pointer = fl::jit("h", {"p"}, [](fl::Pointer) {});
  EXPECT_EQ(errorOf([&] { compileArtifact(pointer, {tensor}, cpuOptions()); }),
            "TypeError: `h` expects argument #0 (p) to be a pointer, but got FakeTensor");
  auto vector = fl::jit("v", {"p"}, [](std::vector<Tensor>) {});
  EXPECT_NE(errorOf([&] { compileArtifact(vector, {tensor}, cpuOptions()); }).find("std::array"),
            std::string::npos);
  EXPECT_NE(
      errorOf([] {
        fl::jit("f", {"a"}, [](Tensor) {});
        fl::makeSignature("f", {"a"}, {fl::fakeTensor(fl::f32, {4, 4}, std::vector<int>{0, 0})});
      }).find("stride_order must hold each of 0 to 1 once, one entry per mode, but got (0,0)"),
      std::string::npos);
  // The thread traces nothing afterwards.
  EXPECT_EQ(fl::Program::current(), nullptr);
}

} // namespace
} // namespace parameters_test
} // namespace fairlead
