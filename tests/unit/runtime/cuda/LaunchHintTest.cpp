#include "runtime/cuda/CudaLaunch.h"

#include <gtest/gtest.h>

namespace launch_hint_test {
namespace {

using fairlead::cuda::earlierWorkHint;
using fairlead::cuda::launchHint;

FairleadLaunch makeLaunch() { return {{1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0, 0, 0, nullptr}; }

std::string hint(const FairleadLaunch &launch, int capability = 90) {
  return launchHint(launch, 1000, capability);
}

TEST(LaunchHint, SaysNothingOfAGoodLaunch) { EXPECT_EQ(hint(makeLaunch()), ""); }

TEST(LaunchHint, Blocks) {
  FairleadLaunch launch = makeLaunch();
  launch.block[1] = 33;
  EXPECT_EQ(hint(launch), "; a block has at most 1024 threads, but this one has 1056");
  launch.block[1] = 0;
  EXPECT_EQ(hint(launch), "; every extent of a block is 1 or more, but y is 0");
  launch.block[0] = 1, launch.block[1] = 1, launch.block[2] = 65;
  EXPECT_EQ(hint(launch), "; the z extent of a block is at most 64, but this one has 65");
  launch.block[0] = launch.block[1] = launch.block[2] = INT32_MAX;
  EXPECT_EQ(hint(launch), "; a block has at most 1024 threads, but this one has far more");
}

TEST(LaunchHint, Grids) {
  FairleadLaunch launch = makeLaunch();
  launch.grid[2] = 65536;
  EXPECT_EQ(hint(launch), "; the z extent of a grid is at most 65535");
  launch.grid[0] = -3;
  EXPECT_EQ(hint(launch), "; every extent of a grid is 0 or more, but x is -3");
}

TEST(LaunchHint, Clusters) {
  FairleadLaunch launch = makeLaunch();
  launch.cluster[0] = 2, launch.cluster[1] = 1, launch.cluster[2] = 1;
  EXPECT_EQ(hint(launch), "; the grid must be a multiple of the cluster");
  launch.grid[0] = 2;
  EXPECT_EQ(hint(launch), "");
  EXPECT_EQ(hint(launch, 89),
            "; clusters need compute capability 9.0 or newer, but this device has 8.9");
  launch.grid[0] = launch.cluster[0] = 32;
  EXPECT_EQ(hint(launch), "; a cluster has at most 16 blocks, but this one has 32");
  launch.grid[0] = launch.cluster[0] = 16;
  EXPECT_NE(hint(launch).find("not every device has clusters"), std::string::npos);
  launch.shared_bytes = 1001;
  EXPECT_EQ(hint(launch), "; a block of this device has at most 1000 bytes of shared memory");
}

TEST(LaunchHint, EarlierWork) {
  for (int error : {700, 702, 710, 714, 715, 716, 717, 718, 719})
    EXPECT_NE(earlierWorkHint(error).find("a kernel that was launched before"), std::string::npos);
  for (int error : {0, 1, 2, 201, 400, 701, 720, 999})
    EXPECT_EQ(earlierWorkHint(error), "");
}

TEST(LaunchHint, SharedMemory) {
  FairleadLaunch launch = makeLaunch();
  launch.shared_bytes = 1001;
  EXPECT_EQ(hint(launch), "; a block of this device has at most 1000 bytes of shared memory");
}

} // namespace
} // namespace launch_hint_test
