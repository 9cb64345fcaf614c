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
  EXPECT_EQ(message, "TypeError: `n` changes its type in a run-time `if`: it was Int32 before, and "
                     "is float at the end of the region");
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
