#include "fairlead/Signature.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

Param tensor(std::string name, DType dtype, std::vector<Extent> shape) {
  TensorParam type;
  type.dtype = dtype;
  type.strides.resize(shape.size());
  type.shape = std::move(shape);
  return {std::move(name), std::move(type)};
}

TEST(Signature, Prints) {
  Signature signature{
      "add_one",
      {tensor("a", DType::Float32, {{1, {0}}}), tensor("b", DType::Float32, {{1, {0}}})},
      {{"n0", 32, 1}},
      {}};
  EXPECT_EQ(signature.str(), "add_one(a: Tensor([n0], float32), b: Tensor([n0], float32))");
  EXPECT_EQ(signature.numArguments(), 2);
}

TEST(Signature, PrintsEveryKindOfExtent) {
  Signature signature{
      "f",
      {tensor("a", DType::BFloat16, {{256, {}}, {2, {0}}, {1, {0, 1}}, {3, {1, 1}}}),
       tensor("b", DType::Boolean, {})},
      {{"n0", 32, 1}, {"n1", 64, 4}},
      {}};
  EXPECT_EQ(signature.str(), "f(a: Tensor([256, 2*n0, n0*n1, 3*n1*n1], bfloat16, strides=[1, 1, 1, "
                             "1]), b: Tensor([], bool))");
}

TEST(Signature, EnvironmentStreamsAreNoArguments) {
  Signature signature{
      "f",
      {{"e", StreamParam{true}}, {"x", ScalarParam{DType::Float16}}, {"s", StreamParam{false}}},
      {},
      {}};
  EXPECT_EQ(signature.str(), "f(x: float16, s: Stream)");
  EXPECT_EQ(signature.numArguments(), 2);
  EXPECT_EQ((Signature{"nothing", {}, {}, {}}).str(), "nothing()");
}

TEST(Extent, Kinds) {
  EXPECT_TRUE((Extent{4, {}}).isStatic());
  EXPECT_TRUE((Extent{1, {0}}).isSymbol());
  EXPECT_FALSE((Extent{2, {0}}).isSymbol());
  EXPECT_FALSE((Extent{1, {0, 1}}).isSymbol());
}

} // namespace
} // namespace fairlead
