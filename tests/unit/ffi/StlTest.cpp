/// Types of the standard library as parameters and results; Expected.
#include <gtest/gtest.h>

#include "tvm/ffi/endian.h"
#include "tvm/ffi/expected.h"
#include "tvm/ffi/extra/stl.h"

using namespace tvm::ffi;

TEST(Stl, RoundTrips) {
  Function same = Function::FromTyped([](std::vector<std::string> v) { return v; });
  EXPECT_EQ(same(std::vector<std::string>{"a", "b"}).cast<std::vector<std::string>>().size(), 2u);
  Function tuple = Function::FromTyped([](std::tuple<int, double> t) { return t; });
  EXPECT_EQ(tuple(std::make_tuple(1, 2.5)).cast<Array<Any>>()[1].cast<double>(), 2.5);
  Function map = Function::FromTyped([](std::map<String, int> m) { return m; });
  EXPECT_EQ((map(std::map<String, int>{{"a", 1}}).cast<Map<String, int>>().at("a")), 1);
  Function none = Function::FromTyped([](std::optional<int> v) { return v; });
  EXPECT_TRUE(none(nullptr) == nullptr);
  Function call = Function::FromTyped([](std::function<int(int)> f) { return f(20) + 1; });
  EXPECT_EQ(call(std::function<int(int)>([](int x) { return 2 * x; })).cast<int>(), 41);
}

TEST(Stl, ArgumentsDoNotLeak) {
  Array<int> held{1};
  Function count = Function::FromTyped([](const Array<Any> &a) { return a.size(); });
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(count(std::vector<Array<int>>{held, held}).cast<int>(), 2);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(ExpectedClass, CarriesValueOrError) {
  auto half = [](int x) -> Expected<int> {
    TVM_FFI_RET_CHECK_EQ(x % 2, 0, ValueError) << "odd";
    return x / 2;
  };
  EXPECT_EQ(half(4).value(), 2);
  EXPECT_EQ(half(3).error().message(), "Check failed: x % 2 == 0 (1 vs. 0) : odd");
  EXPECT_EQ(half(3).value_or(9), 9);
  EXPECT_THROW(half(3).value(), Error);
  Function function = Function::FromTyped(half);
  EXPECT_EQ(function.CallExpected<int>(8).value(), 4);
  EXPECT_EQ(function.CallExpected<int>(7).error().kind(), "ValueError");
  EXPECT_EQ(function.CallExpected<String>(8).error().message(),
            "CallExpected: result type mismatch, expected str, but got int");
  EXPECT_TRUE(Function().CallExpected().is_err());
}

TEST(Endian, SwapsEachElement) {
  uint16_t values[] = {0x0102, 0x0304};
  ByteSwap(values, 2, 2);
  EXPECT_EQ(values[0], 0x0201);
  EXPECT_EQ(values[1], 0x0403);
}
