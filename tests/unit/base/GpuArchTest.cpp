#include "fairlead/GpuArch.h"

#include <gtest/gtest.h>

namespace {

using namespace fairlead;

TEST(GpuArch, FindsRowsByEveryFormOfTheName) {
  for (const char *name : {"103f", "sm_103f", "compute_103f"}) {
    const GpuArch *arch = findGpuArch(name);
    ASSERT_NE(arch, nullptr) << name;
    EXPECT_EQ(arch->name, "103f");
    EXPECT_EQ(arch->capability(), 103);
    EXPECT_EQ(arch->suffix(), 'f');
  }
  EXPECT_EQ(findGpuArch("sm_101a"), findGpuArch("sm_110a"));
  for (const char *name : {"", "sm_", "sm_10", "103b", "sm_103f ", "sm__103f"})
    EXPECT_EQ(findGpuArch(name), nullptr) << name;
}

TEST(GpuArch, RowsAreInOrder) {
  const auto archs = gpuArchs();
  for (size_t i = 1; i < archs.size(); ++i)
    EXPECT_LE(archs[i - 1].capability(), archs[i].capability()) << archs[i].name;
}

/// Errors name the least capability of a feature, which is right if no later GPU lacks it.
TEST(GpuArch, LaterGpusHaveWhatPlainNamesHave) {
  for (size_t feature = 0; feature < std::size(gpuarch::kFeatureNames); ++feature) {
    const int least = leastCapability(static_cast<GpuFeature>(feature));
    for (const GpuArch &arch : gpuArchs())
      if (least && arch.capability() >= least)
        EXPECT_TRUE(arch.has(static_cast<GpuFeature>(feature)))
            << arch.name << " lacks " << gpuarch::kFeatureNames[feature];
  }
  EXPECT_EQ(leastCapability(GpuFeature::Tma), 90);
  EXPECT_EQ(leastCapability(GpuFeature::WarpgroupMma), 0);
}

TEST(GpuArch, NamesTheAssemblers) {
  EXPECT_EQ(assemblersOf(*findGpuArch("sm_90a")), "CUDA 12.0 or newer");
  EXPECT_EQ(assemblersOf(*findGpuArch("sm_70")), "CUDA 9.0 to 12.9");
}

} // namespace
