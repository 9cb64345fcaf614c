/// Targets: their texts, and what one of them has.
#include "fairlead/Target.h"

#include <gtest/gtest.h>

#include "fairlead/Error.h"

namespace fairlead {
namespace {

TEST(Target, Texts) {
  for (const char *text : {"cpu", "cpu:x86-64", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4",
                           "cuda:sm_80", "cuda:sm_90a", "cuda:sm_120f", "ptx:compute_90a"})
    EXPECT_EQ(Target::parse(text, "").str(), text);
  EXPECT_EQ(Target::parse("sm_80", "").str(), "cuda:sm_80");
  EXPECT_EQ(Target::parse("compute_80", "").str(), "ptx:compute_80");
  EXPECT_EQ(joinTargets(Target::parseList("cpu:any , sm_80,cpu:x86-64", "")),
            "cpu:x86-64, cpu:x86-64-v3, cpu:x86-64-v4, cuda:sm_80");
  for (const char *text : {"", "gpu", "cpu:", "cpu:x86-64-v5", "cuda:", "cuda:compute_90",
                           "ptx:sm_90", "ptx:", "sm_9", "cpu:any", "cpu cuda:sm_80"})
    EXPECT_THROW(Target::parse(text, "the test"), Error) << text;
  for (const char *text : {"cuda:sm_10", "sm_999", "cuda:sm_80a", "ptx:compute_20"}) {
    try {
      Target::parse(text, "the test");
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_NE(std::string_view(error.what()).find("unknown GPU architecture"),
                std::string_view::npos);
      EXPECT_NE(std::string_view(error.what()).find("_90a, "), std::string_view::npos);
    }
  }
  for (const char *text : {"", ",", "cpu,", ",cpu", "cpu,,cuda:sm_80"})
    EXPECT_THROW(Target::parseList(text, "the test"), Error) << text;
}

TEST(Target, FactoriesMakeWhatTheTextsMean) {
  EXPECT_EQ(Target::cpu(), Target::parse("cpu", ""));
  EXPECT_EQ(Target::cpu("x86-64-v3"), Target::parse("cpu:x86-64-v3", ""));
  EXPECT_EQ(Target::cuda("sm_90a"), Target::parse("cuda:sm_90a", ""));
  EXPECT_EQ(Target::cuda("compute_90"), Target::parse("ptx:compute_90", ""));
}

TEST(Target, LevelsOfTheCpu) {
  EXPECT_TRUE(Target::cpu().isForThisMachine());
  EXPECT_EQ(Target::cpu().cpuLevel(), 0);
  EXPECT_FALSE(Target::cpu("x86-64").isForThisMachine());
  EXPECT_EQ(Target::cpu("x86-64").cpuLevel(), 1);
  EXPECT_EQ(Target::cpu("x86-64-v4").cpuLevel(), 4);
  EXPECT_FALSE(Target::cuda("sm_80").isForThisMachine());
  EXPECT_EQ(Target::cuda("sm_80").cpuLevel(), 0);
}

TEST(Target, GpusLackFeaturesAndTheCpuNone) {
  const Target ampere = Target::cuda("sm_80"), hopper = Target::cuda("sm_90a"), cpu = Target::cpu(),
               unknown = Target::cuda("sm_999");
  EXPECT_TRUE(ampere.lacks(GpuFeature::WarpgroupMma));
  EXPECT_FALSE(hopper.lacks(GpuFeature::WarpgroupMma));
  EXPECT_FALSE(cpu.lacks(GpuFeature::WarpgroupMma));
  EXPECT_FALSE(cpu.has(GpuFeature::WarpgroupMma));
  EXPECT_TRUE(unknown.lacks(GpuFeature::LoadMatrix));
  EXPECT_TRUE(ampere.isOlderThan(90));
  EXPECT_FALSE(hopper.isOlderThan(90));
  EXPECT_FALSE(cpu.isOlderThan(90));
}

TEST(Target, PtxVersions) {
  EXPECT_EQ(Target::cpu().ptxVersion(), 0);
  EXPECT_EQ(Target::cuda("sm_50").ptxVersion(), 80); // of CUDA 12.0, though 4.0 has the GPU
  EXPECT_EQ(Target::cuda("sm_90a").ptxVersion(), 80);
  EXPECT_EQ(Target::cuda("sm_100a").ptxVersion(), 86);
  EXPECT_EQ(Target::cuda("compute_120").ptxVersion(), 87);
}

} // namespace
} // namespace fairlead
