#include "runtime/cuda/Arch.h"

#include <gtest/gtest.h>

namespace {

using namespace fairlead::cuda;

TEST(Arch, Parses) {
  auto image = parseImageArch("sm_90a");
  ASSERT_TRUE(image);
  EXPECT_FALSE(image->ptx);
  EXPECT_EQ(image->arch.major, 9);
  EXPECT_EQ(image->arch.minor, 0);
  EXPECT_EQ(image->arch.suffix, 'a');
  image = parseImageArch("compute_103f");
  ASSERT_TRUE(image);
  EXPECT_TRUE(image->ptx);
  EXPECT_EQ(image->arch.major, 10);
  EXPECT_EQ(image->arch.minor, 3);
  EXPECT_EQ(image->arch.suffix, 'f');
}

TEST(Arch, RefusesOtherTexts) {
  for (const char *text : {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "sm_a", "SM_90", "sm90", "90a",
                           "lto_90", "compute_", "sm_12345", "sm_-90", "sm_ 90", "sm_90 "})
    EXPECT_FALSE(parseImageArch(text)) << text;
}

TEST(Arch, NamesTargets) {
  EXPECT_EQ(targetName({7, 5}), "sm_75");
  EXPECT_EQ(targetName({8, 6}), "sm_86");
  EXPECT_EQ(targetName({9, 0}), "sm_90a");
  EXPECT_EQ(targetName({10, 0}), "sm_100a");
  EXPECT_EQ(targetName({10, 3}), "sm_103a");
  EXPECT_EQ(targetName({11, 0}), "sm_110a");
  EXPECT_EQ(targetName({12, 0}), "sm_120a");
  // Not in the table of architectures, or not known to this compiler.
  EXPECT_EQ(targetName({10, 7}), "sm_103f");
  EXPECT_EQ(targetName({12, 9}), "sm_121f");
  EXPECT_EQ(targetName({14, 0}), "compute_121");
  EXPECT_EQ(targetName({3, 5}), "sm_35");
}

struct Case {
  const char *image;
  Arch device;
  bool runs;
};

class RunsOn : public testing::TestWithParam<Case> {};

TEST_P(RunsOn, Answers) {
  const Case &row = GetParam();
  EXPECT_EQ(runsOn(*parseImageArch(row.image), row.device), row.runs)
      << row.image << " on " << capabilityName(row.device);
}

INSTANTIATE_TEST_SUITE_P(
    Table, RunsOn,
    testing::Values(Case{"sm_80", {8, 0}, true}, Case{"sm_80", {8, 6}, true},
                    Case{"sm_80", {8, 9}, true}, Case{"sm_86", {8, 0}, false},
                    Case{"sm_80", {9, 0}, false}, Case{"sm_90", {9, 0}, true},
                    Case{"sm_90", {8, 9}, false}, Case{"sm_90a", {9, 0}, true},
                    Case{"sm_100a", {10, 0}, true}, Case{"sm_100a", {10, 3}, false},
                    Case{"sm_100f", {10, 3}, true}, Case{"sm_103f", {10, 0}, false},
                    Case{"sm_100f", {12, 0}, false}, Case{"sm_100f", {11, 0}, false},
                    Case{"compute_80", {8, 0}, true}, Case{"compute_80", {12, 1}, true},
                    Case{"compute_90", {8, 9}, false}, Case{"compute_86", {8, 0}, false},
                    Case{"compute_90a", {9, 0}, true}, Case{"compute_90a", {10, 0}, false},
                    Case{"compute_100f", {10, 3}, true}, Case{"compute_100f", {12, 0}, false}));

std::vector<std::string> ranked(const std::vector<std::string> &names, Arch device) {
  std::vector<std::string> result;
  for (int index : rankImages(names, device))
    result.push_back(names[index]);
  return result;
}

using Names = std::vector<std::string>;

TEST(RankImages, PrefersTheNearestSass) {
  EXPECT_EQ(ranked({"sm_80", "sm_86", "sm_89"}, {8, 9}), (Names{"sm_89", "sm_86", "sm_80"}));
  EXPECT_EQ(ranked({"sm_80", "sm_86", "sm_89"}, {8, 6}), (Names{"sm_86", "sm_80"}));
}

TEST(RankImages, PrefersTheMoreSpecific) {
  EXPECT_EQ(ranked({"sm_90", "sm_90a"}, {9, 0}), (Names{"sm_90a", "sm_90"}));
  EXPECT_EQ(ranked({"sm_100", "sm_100f", "sm_100a", "sm_103a"}, {10, 0}),
            (Names{"sm_100a", "sm_100f", "sm_100"}));
}

TEST(RankImages, TakesPtxLast) {
  EXPECT_EQ(ranked({"compute_80", "compute_90", "compute_90a", "sm_90"}, {9, 0}),
            (Names{"sm_90", "compute_90a", "compute_90", "compute_80"}));
  EXPECT_EQ(ranked({"compute_75", "compute_80", "sm_90"}, {12, 0}),
            (Names{"compute_80", "compute_75"}));
}

TEST(RankImages, LeavesOutWhatDoesNotRunOrParse) {
  EXPECT_EQ(ranked({"sm_100a", "nonsense", "", "compute_100"}, {9, 0}), Names{});
  EXPECT_EQ(ranked({}, {9, 0}), Names{});
}

} // namespace
