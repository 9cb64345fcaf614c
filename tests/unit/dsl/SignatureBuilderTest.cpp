#include "Tracing.h"

namespace fairlead::dsl {
namespace {

TEST(SignatureBuilder, SymbolsAreNumberedByFirstAppearance) {
  SymInt m, n;
  Signature signature =
      makeSignature("f", {"a", "b", "alpha", "s"},
                    {fakeTensor(DType::Float32, {n, m}), fakeTensor(DType::Float16, {m, 256}),
                     FakeScalar{DType::Float32}, FakeStream{/*environment=*/true}});
  EXPECT_EQ(signature.str(),
            "f(a: Tensor([n0, n1], float32), b: Tensor([n1, 256], float16), alpha: float32)");
  EXPECT_EQ(signature.numArguments(), 3);
}

TEST(SignatureBuilder, CompactStridesAreProducts) {
  SymInt m, n;
  Signature signature = makeSignature("f", {"a"}, {fakeTensor(DType::Float32, {m, n, 4})});
  const auto &strides = std::get<TensorParam>(signature.params[0].type).strides;
  EXPECT_EQ(strides[0].coefficient, 4);
  EXPECT_EQ(strides[0].symbols, std::vector<int>{1});
  EXPECT_TRUE(strides[1].isStatic());
  EXPECT_EQ(strides[1].coefficient, 4);
  EXPECT_EQ(strides[2].coefficient, 1);
}

TEST(SignatureBuilder, PointersAndIntegersOfSymbols) {
  SymInt n = SymInt::multipleOf(8, /*width=*/64);
  Signature signature = makeSignature(
      "f", {"a", "n", "p"}, {fakeTensor(DType::Float32, {n}), n, FakePointer{DType::Float64, 4}});
  EXPECT_EQ(signature.str(), "f(a: Tensor([n0], float32), n: int64, p: Pointer(float64))");
  EXPECT_EQ(std::get<ScalarParam>(signature.params[1].type).symbol, 0);
  EXPECT_EQ(std::get<PointerParam>(signature.params[2].type).alignment, 8); // of an element
  EXPECT_EQ(signature.symbols.size(), 1u);
}

TEST(SignatureBuilder, ArgumentsOfSymbols) {
  EXPECT_EQ(errorOf([] { SymInt::ofWidth(16, {"k.cpp", 3}); }),
            "ValueError: k.cpp:3: a symbolic integer takes a width of 32 or 64, but got 16");
  EXPECT_EQ(errorOf([] { SymInt::multipleOf(0, 32, {"k.cpp", 4}); }),
            "ValueError: k.cpp:4: a symbolic integer takes a divisibility of 1 or more, but got 0");
}

TEST(SignatureBuilder, ADeclarationWithoutAliasesIsPartOfTheText) {
  FakeTensor out = fakeTensor(DType::Float32, {8});
  out.noAlias = true;
  Signature signature = makeSignature("f", {"a", "out"}, {fakeTensor(DType::Float32, {8}), out});
  const std::string text = "f(a: Tensor([8], float32), out: Tensor([8], float32, no_alias))";
  EXPECT_EQ(signature.text(), text);
  EXPECT_EQ(Signature::parse(text).text(), text);
  EXPECT_EQ(signature.str(), "f(a: Tensor([8], float32), out: Tensor([8], float32))");
}

TEST(SignatureBuilder, NamesAndArgumentsMustMatch) {
  EXPECT_EQ(errorOf([] { makeSignature("f", {"a"}, {}); }),
            "TypeError: `f` has 1 parameters, but 0 arguments are given");
}

} // namespace
} // namespace fairlead::dsl
