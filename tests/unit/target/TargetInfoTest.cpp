/// The kinds of targets and the facts about each.
#include "fairlead/TargetInfo.h"

#include <set>

#include <gtest/gtest.h>

#include "fairlead/Target.h"

namespace fairlead {
namespace {

TEST(TargetInfo, TargetsHaveTheRowOfTheirKind) {
  for (const char *text : {"cpu", "cpu:x86-64-v3"})
    EXPECT_EQ(Target::parse(text, "").info().name, "cpu") << text;
  for (const char *text : {"cuda:sm_80", "cuda:sm_120f", "ptx:compute_90"})
    EXPECT_EQ(Target::parse(text, "").info().name, "cuda") << text;
  EXPECT_EQ(&Target().info(), &Target::cpu().info());
}

TEST(TargetInfo, RowsDifferInNameAndDevice) {
  std::set<std::string_view> names;
  std::set<int> devices;
  for (const TargetInfo &info : targetInfos()) {
    names.insert(info.name);
    devices.insert(info.deviceType);
  }
  EXPECT_EQ(names.size(), targetInfos().size());
  EXPECT_EQ(devices.size(), targetInfos().size());
}

TEST(TargetInfo, KernelsAreFunctionsOfTheHostOrImages) {
  const TargetInfo &cpu = Target::cpu().info(), &cuda = Target::cuda("sm_80").info();
  EXPECT_EQ(cpu.deviceType, kDLCPU);
  EXPECT_FALSE(cpu.kernelsInImages);
  EXPECT_TRUE(cpu.hostReadsTensors);
  EXPECT_TRUE(cpu.schedulesThreads);
  EXPECT_FALSE(cpu.alignsVectors);
  EXPECT_EQ(cuda.deviceType, kDLCUDA);
  EXPECT_TRUE(cuda.kernelsInImages);
  EXPECT_FALSE(cuda.hostReadsTensors);
  EXPECT_FALSE(cuda.schedulesThreads);
  EXPECT_TRUE(cuda.alignsVectors);
}

} // namespace
} // namespace fairlead
