#include "Tracing.h"

namespace fairlead::dsl {
namespace {

TEST(Tensor, PrintsItsLayout) {
  Tracing tracing({fakeTensor(DType::Float32, {4, 3}),
                   fakeTensor(DType::Float16, {SymInt::multipleOf(8), 128}, 16),
                   fakeTensor(DType::Int8, {5, SymInt::ofWidth(64)})});
  EXPECT_EQ(tracing.tensor(0).str(), "tensor<ptr<f32, gmem> o (4,3):(3,1)>");
  EXPECT_EQ(tracing.tensor(1).str(), "tensor<ptr<f16, gmem, align<16>> o (?{div=8},128):(128,1)>");
  EXPECT_EQ(tracing.tensor(2).layoutStr(), "(5,?{i64}):(?{i64},1)");
}

TEST(Tensor, ModesOutOfRange) {
  Tracing tracing({fakeTensor(DType::Float32, {4, 3})});
  EXPECT_EQ(tracing.tensor(0).shape(-1).staticInt(), 3);
  EXPECT_EQ(errorOf([&] { tracing.tensor(0).shape(2); }),
            "IndexError: mode 2 is out of range for a tensor of 2 modes");
}

TEST(Tensor, CoordinatesMustFit) {
  Tracing tracing({fakeTensor(DType::Float32, {4, 3, 2})});
  EXPECT_EQ(errorOf([&] { tracing.tensor(0).load({0, 1}); }),
            "IndexError: a coordinate of 2 entries does not fit a tensor of 3 modes");
  EXPECT_EQ(errorOf([&] { tracing.tensor(0).load({0.5, 1, 1}); }),
            "TypeError: a tensor is indexed with integers, but got float");
}

TEST(Tensor, SlicingKeepsTheOtherModes) {
  Tracing tracing({fakeTensor(DType::Float32, {4, 3, 2})});
  Tensor slice = tracing.tensor(0).slice({std::nullopt, Scalar(1), std::nullopt});
  EXPECT_EQ(slice.layoutStr(), "(4,2):(6,1)");
}

TEST(Tensor, StoringAFloatToIntegersNeedsAConversion) {
  Tracing tracing({fakeTensor(DType::Int32, {4}), FakeScalar{DType::Float32}});
  EXPECT_EQ(
      errorOf([&] { tracing.tensor(0).store({0}, tracing.scalar(1)); }),
      "TypeError: cannot store Float32 to a tensor of Int32: convert it with .to(Int32) first");
}

TEST(TensorExpr, ShapesThatDifferStatically) {
  Tracing tracing({fakeTensor(DType::Float32, {4}), fakeTensor(DType::Float32, {5}),
                   fakeTensor(DType::Float32, {4, 1})});
  EXPECT_NE(errorOf([&] { tracing.tensor(0).assign(tracing.tensor(1)); }), "");
  EXPECT_NE(errorOf([&] { tracing.tensor(0).assign(tracing.tensor(2)); }), "");
  EXPECT_EQ(errorOf([&] { tracing.tensor(0).assign(tracing.tensor(0)); }), "");
}

TEST(TensorExpr, TwoSymbolsBecomeAnEqualityOfTheSignature) {
  SymInt n, m;
  Tracing tracing({fakeTensor(DType::Float32, {n}), fakeTensor(DType::Float32, {m})});
  tracing.tensor(1).assign(
      binary(BinaryOp::Add, TensorExpr(tracing.tensor(0)), TensorExpr(Scalar(1))));
  ASSERT_EQ(tracing.program.signature().equalities.size(), 1u);
  const ExtentEquality &equality = tracing.program.signature().equalities[0];
  EXPECT_EQ(equality.param, 1);
  EXPECT_EQ(equality.otherParam, 0);
}

TEST(TensorExpr, OneSymbolNeedsNoCheck) {
  SymInt n;
  Tracing tracing({fakeTensor(DType::Float32, {n}), fakeTensor(DType::Float32, {n})});
  tracing.tensor(1).assign(tracing.tensor(0));
  EXPECT_TRUE(tracing.program.signature().equalities.empty());
}

} // namespace
} // namespace fairlead::dsl
