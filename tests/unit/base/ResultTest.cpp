#include "base/Result.h"

#include <memory>

#include <gtest/gtest.h>

namespace fairlead {
namespace {

Result<std::unique_ptr<int>> positive(int number) {
  if (number <= 0)
    return Failed{"expected a positive number, but got " + std::to_string(number)};
  return std::make_unique<int>(number);
}

TEST(Result, HoldsAValue) {
  Result<std::unique_ptr<int>> result = positive(3);
  ASSERT_TRUE(result);
  EXPECT_EQ(**result, 3);
  std::unique_ptr<int> moved = std::move(*result);
  EXPECT_EQ(*moved, 3);
}

TEST(Result, HoldsTheReason) {
  const Result<std::unique_ptr<int>> result = positive(-2);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.reason(), "expected a positive number, but got -2");
}

TEST(Result, MayHaveNoValue) {
  const Result<void> success, failure = Failed{"no memory"};
  EXPECT_TRUE(success);
  ASSERT_FALSE(failure);
  EXPECT_EQ(failure.reason(), "no memory");
}

TEST(Result, AValueMayBeAText) {
  const Result<std::string> text = std::string("value");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "value");
  EXPECT_EQ(text->size(), 5u);
}

} // namespace
} // namespace fairlead
