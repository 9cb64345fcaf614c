#include "fairlead/Diagnostics.h"
#include "base/CppNames.h"

#include <set>

#include <gtest/gtest.h>

namespace fairlead {
namespace {

TEST(Diagnostics, EveryEntryIsWhole) {
  const std::set<std::string_view> kKinds = {
      "TypeError",      "ValueError",        "RuntimeError",        "IndexError",
      "MemoryError",    "NameError",         "NotImplementedError", "RecursionError",
      "AssertionError", "ZeroDivisionError", "AttributeError",      "CheckError",
      "UserWarning",    "BufferError"};
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

TEST(Diagnostics, ErrorsCarryTheirKindAndId) {
  Error error = makeError(Diagnostic::StepZero);
  EXPECT_EQ(error.kind(), "ValueError");
  EXPECT_EQ(error.id(), "StepZero");
  EXPECT_EQ(error.help(), "");
  EXPECT_STREQ(error.what(), "the step of a range must not be 0");
}

TEST(Diagnostics, AHelpTextDependsOnParameters) {
  EXPECT_EQ(makeError(Diagnostic::IndexType, {{"got", "Float32"}}).help(),
            "`/` makes a float: divide integers by `//`, or convert with `.to(cute.Int32)`");
  EXPECT_EQ(makeError(Diagnostic::IndexType, {{"got", "str"}}).help(), "");
}

TEST(Diagnostics, AConditionMayAskOneOfSeveralParameters) {
  auto helpOf = [](const char *left, const char *op, const char *right) {
    return makeError(Diagnostic::OperatorOperands,
                     {{"left", left}, {"operator", op}, {"right", right}})
        .help();
  };
  EXPECT_EQ(helpOf("Int32", "&", "Float32"), helpOf("Float32", "|", "Int32"));
  EXPECT_NE(helpOf("Int32", "&", "Float32"), "");
  EXPECT_EQ(helpOf("Int32", "&", "str"), "");
  EXPECT_EQ(helpOf("Int32", "+", "Float32"), "");
}

TEST(Diagnostics, AHelpTextWithAPlaceNeedsItsValue) {
  EXPECT_EQ(makeNamedError("DTypeName", {{"got", "x"}, {"similar", "Int8"}}).help(),
            "did you mean `Int8`?");
  EXPECT_EQ(makeNamedError("DTypeName", {{"got", "x"}}).help(), "");
}

TEST(Diagnostics, NamedErrorsAreCheckedForTheirParameters) {
  auto problemOf = [](std::string_view id, const std::vector<DiagnosticArg> &args) {
    try {
      return std::string(makeNamedError(id, args).what());
    } catch (const std::invalid_argument &error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(problemOf("RangeType", {}), "RangeType: the parameter got is missing");
  EXPECT_EQ(problemOf("StepZero", {{"got", "0"}}), "StepZero: unknown parameter got");
  EXPECT_EQ(problemOf("StepOne", {}), "no diagnostic is called StepOne");
}

TEST(CppNames, ReplaceThoseOfPython) {
  EXPECT_EQ(withCppNames("cute.arch.sync_threads() between lines 4 and 5"),
            "syncThreads() between lines 4 and 5");
  EXPECT_EQ(
      withCppNames("fence_proxy(\"async.shared\", space=\"cta\"), then warpgroup.wait_group."),
      "fenceProxy(\"async.shared\", \"cta\"), then warpgroupWait.");
  EXPECT_EQ(withCppNames("CtaGroup.ONE for tcgen05.commit"), "ofPair = false for tcgen05.commit");
  EXPECT_EQ(withCppNames("kernel `sync_threads` in my_make_tensor.h"),
            "kernel `sync_threads` in my_make_tensor.h");
}

} // namespace
} // namespace fairlead
