#include "Tracing.h"

namespace fairlead::dsl {
namespace {

TEST(ControlFlow, CarriedValuesKeepTheirType) {
  Tracing tracing({FakeScalar{DType::Boolean}});
  Scalars results = ifElse(
      tracing.scalar(0), {{"x", constant(DType::Float16, 1.0)}, {"n", 3}},
      [] { return Scalars{2.0, 4}; }, [] { return Scalars{constant(DType::Float16, 3.0), 5}; });
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].dtype(), DType::Float16);
  EXPECT_EQ(results[1].dtype(), DType::Int32);
}

TEST(ControlFlow, ChangedTypeIsNamed) {
  Tracing tracing({FakeScalar{DType::Boolean}});
  std::string message = errorOf([&] {
    ifElse(
        tracing.scalar(0), {{"n", 10}}, [] { return Scalars{10.0}; }, [] { return Scalars{10}; });
  });
  EXPECT_EQ(message,
            "TypeError: `n` must keep its type in a run-time `if`, but it was Int32 before and is "
            "float at its end");
}

TEST(ControlFlow, AfterAnErrorTracingGoesOnOutsideTheRegion) {
  Tracing tracing({FakeScalar{DType::Int32}});
  EXPECT_NE(errorOf([&] {
              for_(0, tracing.scalar(0), [](const Scalar &) { throw Error("ValueError", "stop"); });
            }),
            "");
  // Emitted in the host function again: a loop value would not be visible there.
  EXPECT_EQ((tracing.scalar(0) + 1).dtype(), DType::Int32);
}

TEST(ControlFlow, RegionsThatAnExceptionLeavesAreNotPartOfTheProgram) {
  Program program(makeSignature("f", {"n"}, {FakeScalar{DType::Int32}}), {Target{}});
  program.enter();
  Scalar n = std::get<Scalar>(program.arguments()[0]), inside = 0;
  auto leave = [&] {
    inside = n + 7;
    throw Error("ValueError", "stop");
  };
  EXPECT_EQ(errorOf([&] { if_(n > 0, leave); }), "ValueError: stop");
  EXPECT_EQ(errorOf([&] { if_(n > 0, [] {}, leave); }), "ValueError: stop");
  EXPECT_EQ(errorOf([&] { for_(0, n, [&](const Scalar &) { if_(n > 1, leave); }); }),
            "ValueError: stop");
  EXPECT_EQ(errorOf([&] {
              whileLoop(
                  {}, [&](const Scalars &) { return n > 0; },
                  [&](const Scalars &) -> Scalars {
                    leave();
                    return {};
                  });
            }),
            "ValueError: stop");
  EXPECT_EQ(errorOf([&] {
              conditional(
                  n > 0, [] { return Scalars{1}; },
                  [&]() -> Scalars {
                    leave();
                    return {};
                  });
            }),
            "ValueError: stop");
  EXPECT_NE(errorOf([&] { inside + 1; }).find("RuntimeError: a value computed inside"),
            std::string::npos);
  for_(0, n, [](const Scalar &) {});
  program.exit(true);
  std::string text = program.str();
  EXPECT_EQ(text.find("scf.if"), std::string::npos) << text;
  EXPECT_EQ(text.find("scf.while"), std::string::npos) << text;
  EXPECT_EQ(text.find("scf.for"), text.rfind("scf.for")) << text;
  EXPECT_NE(text.find("scf.for"), std::string::npos) << text;
}

TEST(ControlFlow, ValuesOfAbandonedKernelsAreNoValues) {
  Tracing tracing({FakeScalar{DType::Int32}});
  Scalar inside = std::get<Scalar>(tracing.program.beginKernel("k", {tracing.scalar(0)})[0]) + 1;
  tracing.program.abandonKernel();
  EXPECT_NE(errorOf([&] { inside + 1; }).find("RuntimeError: a value computed inside"),
            std::string::npos);
  tracing.program.beginKernel("k2", {});
  EXPECT_NE(errorOf([&] { inside + 1; }).find("RuntimeError: a value computed inside"),
            std::string::npos);
}

TEST(ControlFlow, OpenLoops) {
  Tracing tracing({FakeScalar{DType::Int32}});
  Scalar n = tracing.scalar(0);
  OpenLoop rows(0, n, 2, {{"sum", 0}});
  {
    OpenLoop halves({{"sum", rows.arguments()[0]}}, [](const Scalars &v) { return v[0] > 9; });
    Scalars inner = halves.close({halves.arguments()[0] / 2});
    EXPECT_EQ(rows.close({inner[0] + rows.variable()}).size(), 1u);
  }
  std::string text = tracing.program.str();
  EXPECT_LT(text.find("scf.for"), text.find("scf.while")) << text;
  EXPECT_EQ(errorOf([&] {
              OpenLoop loop(0, n, 1, {{"x", 1}});
              loop.close({2.5});
            }),
            "TypeError: `x` must keep its type in a run-time `for`, but it was Int32 before and is "
            "float at its end");
  {
    OpenLoop left({}, [&](const Scalars &) { return n > 0; });
  }
  EXPECT_EQ((n + 1).dtype(), DType::Int32);
}

TEST(ControlFlow, StepZero) {
  Tracing tracing({FakeScalar{DType::Int32}});
  EXPECT_EQ(errorOf([&] {
              forLoop(0, tracing.scalar(0), 0, {},
                      [](const Scalar &, const Scalars &) { return Scalars{}; });
            }),
            "ValueError: the step of a range must not be 0");
}

TEST(ControlFlow, RangeOfFloats) {
  Tracing tracing({FakeScalar{DType::Float32}});
  EXPECT_EQ(errorOf([&] { for_(0, tracing.scalar(0), [](const Scalar &) {}); }),
            "TypeError: a range needs integers, but got Float32");
}

TEST(ControlFlow, WhileCarries) {
  Tracing tracing({FakeScalar{DType::Int32}});
  Scalars results = whileLoop(
      {{"n", tracing.scalar(0)}, {"steps", 0}}, [](const Scalars &v) { return v[0] > 1; },
      [](const Scalars &v) { return Scalars{v[0] / 2, v[1] + 1}; });
  EXPECT_EQ(results.size(), 2u);
  EXPECT_NE(tracing.program.str().find("scf.while"), std::string::npos);
}

} // namespace
} // namespace fairlead::dsl
