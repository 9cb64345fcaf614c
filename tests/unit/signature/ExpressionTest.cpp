#include "signature/Expression.h"

#include <gtest/gtest.h>

#include "fairlead/Error.h"

namespace fairlead {
namespace {

const Signature &signature() {
  static const Signature parsed =
      Signature::parse("f(x: Tensor([n, 2*m], float32, strides=[s, 1]), y: Tensor([m], T), a: "
                       "float32, k: int32, b: T, "
                       "stream: Stream) where T in {float16, float32}");
  return parsed;
}

Expression parse(std::string_view text) { return parseExpression(text, signature(), "grid"); }

std::string failure(std::string_view text, bool argument = false) {
  try {
    argument ? (void)parseKernelArgument(text, signature(), "args") : (void)parse(text);
    return "";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), "ValueError");
    return error.what();
  }
}

int64_t constant(std::string_view text) {
  Expression expression = parse(text);
  EXPECT_EQ(expression.kind, Expression::Kind::Constant) << text;
  return expression.constant;
}

TEST(Expression, ComputesConstantsAsPythonDoes) {
  EXPECT_EQ(constant("2 + 3 * 4 - 1"), 13);
  EXPECT_EQ(constant("(2 + 3) * 4"), 20);
  EXPECT_EQ(constant("-7 // 2"), -4);
  EXPECT_EQ(constant("-7 % 4"), 1);
  EXPECT_EQ(constant("7 // -2"), -4);
  EXPECT_EQ(constant("7 % -4"), -1);
  EXPECT_EQ(constant("2 * 3 // 4 % 5"), 1);
  EXPECT_EQ(constant("ceil_div(1000, 256)"), 4);
  EXPECT_EQ(constant("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(constant("min(4, 2, 3) + max(1, 9, 5)"), 11);
  EXPECT_EQ(constant("--5"), 5);
  EXPECT_EQ(constant("9223372036854775807"), INT64_MAX);
}

TEST(Expression, KnowsSymbolsScalarsShapesAndStrides) {
  Expression n = parse("n");
  EXPECT_EQ(n.kind, Expression::Kind::Symbol);
  EXPECT_EQ(signature().symbols[n.index].name, "n");
  EXPECT_EQ(parse("k").kind, Expression::Kind::Param);
  EXPECT_EQ(parse("x.shape[0]").kind, Expression::Kind::Symbol);
  EXPECT_EQ(parse("x.shape[1]").kind, Expression::Kind::Multiply);
  Expression stride = parse("x.stride[0]");
  EXPECT_EQ(signature().symbols[stride.index].name, "s");
  EXPECT_EQ(constant("x.strides[1]"), 1);
  EXPECT_EQ(parse("ceil_div(n * m, 256)").text, "ceil_div(n * m, 256)");
}

TEST(Expression, NamesWhatIsUnknown) {
  EXPECT_EQ(
      failure("ceil_div(q, 256)"),
      "invalid grid: unknown name `q`; `f(x: Tensor([n, 2*m], float32), y: Tensor([m], T), a: "
      "float32, k: int32, b: T, stream: Stream)` has n, m, s, x, y, a, k, b and stream\n"
      "    ceil_div(q, 256)\n"
      "             ^");
}

struct Mistake {
  const char *text, *problem;
};
class ExpressionMistake : public testing::TestWithParam<Mistake> {};

TEST_P(ExpressionMistake, IsNamed) {
  std::string message = failure(GetParam().text);
  EXPECT_NE(message.find(GetParam().problem), std::string::npos)
      << GetParam().text << ": " << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, ExpressionMistake,
    testing::Values(Mistake{"", "expected an integer, a name or `(`, but got the end"},
                    Mistake{"n / 2", "`/` gives a fraction"}, Mistake{"n //", "but got the end"},
                    Mistake{"1 // 0", "division by zero"}, Mistake{"n % 0", "division by zero"},
                    Mistake{"n n", "expected an operator"}, Mistake{"(n", "expected `)`"},
                    Mistake{"x", "`x` is a tensor: name an extent"},
                    Mistake{"a", "`a` is no integer"}, Mistake{"stream", "is a stream"},
                    Mistake{"x.shape[2]", "`x` has 2 dimensions"},
                    Mistake{"x.size[0]", "shape[...] and stride[...]"},
                    Mistake{"sqrt(n)", "unknown function `sqrt`"},
                    Mistake{"int32(n)", "unknown function `int32`"},
                    Mistake{"ceil_div(n)", "expected `,`"},
                    Mistake{"9223372036854775807 + 1", "fits 64 bits"},
                    Mistake{"99999999999999999999", "at most 64 bits"}));

TEST(Expression, RefusesDeepNesting) {
  std::string deep = std::string(5000, '(') + "1" + std::string(5000, ')');
  EXPECT_NE(failure(deep).find("at most 200 levels"), std::string::npos);
  EXPECT_NE(failure(std::string(5000, '-') + "1").find("at most 200 levels"), std::string::npos);
}

TEST(KernelArgument, TakesTensorsScalarsAndCasts) {
  auto parse = [](std::string_view text) { return parseKernelArgument(text, signature(), "args"); };
  EXPECT_TRUE(parse("x").isTensor);
  EXPECT_EQ(parse("a").dtype, DType::Float32);
  EXPECT_EQ(parse("k").dtype, DType::Int32);
  EXPECT_EQ(signature().params[parse("b").scalarParam].name, "b");
  EXPECT_EQ(parse("n").dtype, DType::Int64);
  EXPECT_EQ(parse("int32(n * m)").dtype, DType::Int32);
  EXPECT_EQ(parse("uint32(7)").dtype, DType::Uint32);
  EXPECT_EQ(parse("int64(k)").dtype, DType::Int64);
  EXPECT_EQ(parse("int64(k)").scalarParam, -1);
  EXPECT_EQ(parse("k + 1").dtype, DType::Int64);
  EXPECT_NE(failure("int32(a)", true).find("`a` is no integer"), std::string::npos);
  EXPECT_NE(failure("x + 1", true).find("`x` is a tensor"), std::string::npos);
  EXPECT_NE(failure("stream", true).find("is a stream"), std::string::npos);
  EXPECT_NE(failure("n + int32(m)", true).find("a cast such as int32(n) stands around"),
            std::string::npos);
}

} // namespace
} // namespace fairlead
