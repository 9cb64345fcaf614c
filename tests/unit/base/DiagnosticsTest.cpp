#include "fairlead/Diagnostics.h"

#include <set>

#include <gtest/gtest.h>

namespace fairlead {
namespace {

TEST(Diagnostics, EveryEntryIsWhole) {
  const std::set<std::string_view> kKinds = {
      "TypeError",      "ValueError",        "RuntimeError",        "IndexError",
      "MemoryError",    "NameError",         "NotImplementedError", "RecursionError",
      "AssertionError", "ZeroDivisionError", "AttributeError",      "CheckError"};
  std::set<std::string_view> ids;
  ASSERT_GT(numDiagnostics(), 0);
  for (int i = 0; i < numDiagnostics(); ++i) {
    const DiagnosticInfo &entry = info(static_cast<Diagnostic>(i));
    EXPECT_TRUE(ids.insert(entry.id).second) << entry.id << " is there twice";
    EXPECT_TRUE(kKinds.count(entry.kind)) << entry.id << " has the kind " << entry.kind;
    EXPECT_FALSE(entry.text.empty()) << entry.id;
    int depth = 0;
    for (char c : entry.text) {
      depth += (c == '{') - (c == '}');
      EXPECT_TRUE(depth == 0 || depth == 1) << entry.id;
    }
    EXPECT_EQ(depth, 0) << entry.id;
  }
}

TEST(Diagnostics, FillsPlaces) {
  EXPECT_EQ(compose(Diagnostic::ExtentStatic,
                    {{"place", "a.shape[0]"}, {"site", "here"}, {"expected", "4"}, {"got", "5"}}),
            "Mismatched a.shape[0] here, expected 4, but got 5");
}

TEST(Diagnostics, KeepsPlacesThatAreNotNamed) {
  EXPECT_EQ(compose(Diagnostic::ArgumentType, {{"site", "here"}, {"type", "Tensor"}}),
            "Mismatched type here, expected Tensor, but got {got:type}");
}

TEST(Diagnostics, FilledInTextIsNotFilledInAgain) {
  EXPECT_EQ(compose(Diagnostic::ExtentStatic, {{"place", "{got}"}, {"site", "{"}, {"got", "5"}}),
            "Mismatched {got} {, expected {expected}, but got 5");
}

TEST(Diagnostics, ErrorsCarryTheirKind) {
  Error error = makeError(Diagnostic::StepZero);
  EXPECT_EQ(error.kind(), "ValueError");
  EXPECT_STREQ(error.what(), "the step of a range must not be 0");
}

} // namespace
} // namespace fairlead
