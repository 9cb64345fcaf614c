#include "runtime/cuda/CudaLaunch.h"

#include "fairlead/GpuArch.h"
#include "runtime/LaunchShape.h"

namespace fairlead::cuda {
namespace {

constexpr char kAxes[] = {'x', 'y', 'z'};

std::string blockHint(const int32_t (&block)[3]) {
  for (int axis = 0; axis < 3; ++axis)
    if (block[axis] < 1)
      return std::string("; every extent of a block is 1 or more, but ") + kAxes[axis] + " is " +
             std::to_string(block[axis]);
  // No overflow: the product of three would need more than 62 bits only past extents that no device
  // has.
  __int128 threads = static_cast<__int128>(block[0]) * block[1] * block[2];
  if (threads > 1024)
    return "; a block has at most 1024 threads, but this one has " +
           (threads <= INT64_MAX ? std::to_string(static_cast<int64_t>(threads)) : "far more");
  if (block[2] > 64)
    return "; the z extent of a block is at most 64, but this one has " + std::to_string(block[2]);
  return "";
}

std::string gridHint(const int32_t (&grid)[3]) {
  for (int axis = 0; axis < 3; ++axis)
    if (grid[axis] < 0)
      return std::string("; every extent of a grid is 0 or more, but ") + kAxes[axis] + " is " +
             std::to_string(grid[axis]);
  for (int axis = 1; axis < 3; ++axis)
    if (grid[axis] > 65535)
      return std::string("; the ") + kAxes[axis] + " extent of a grid is at most 65535";
  return "";
}

/// The result fits 64 bits: the extents divide a grid's, and two of a grid's are at most 65535.
int64_t clusterBlocks(const FairleadLaunch &launch) {
  return int64_t{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2];
}

std::string clusterHint(const FairleadLaunch &launch, int capability) {
  constexpr int kMostBlocks = 16;
  if (!runtime::hasCluster(launch))
    return "";
  for (int axis = 0; axis < 3; ++axis)
    if (launch.grid[axis] % launch.cluster[axis] != 0)
      return "; the grid must be a multiple of the cluster";
  constexpr int kLeast = leastCapability(GpuFeature::Clusters);
  if (capability < kLeast)
    return "; clusters need compute capability " + versionText(kLeast) +
           " or newer, but this device has " + versionText(capability);
  if (int64_t blocks = clusterBlocks(launch); blocks > kMostBlocks)
    return "; a cluster has at most 16 blocks, but this one has " + std::to_string(blocks);
  return "";
}

/// The last hint, for a launch without any other mistake.
std::string largeClusterHint(const FairleadLaunch &launch) {
  constexpr int kPortable = 8;
  if (!runtime::hasCluster(launch) || clusterBlocks(launch) <= kPortable)
    return "";
  return "; not every device has clusters of more than 8 blocks, and with much shared memory or "
         "many threads they find no room: this one has " +
         std::to_string(clusterBlocks(launch)) + " blocks";
}

} // namespace

std::string launchHint(const FairleadLaunch &launch, int maxSharedBytes, int capability) {
  std::string hint = blockHint(launch.block);
  if (hint.empty())
    hint = gridHint(launch.grid);
  if (hint.empty())
    hint = clusterHint(launch, capability);
  if (hint.empty() && (launch.shared_bytes < 0 || launch.shared_bytes > maxSharedBytes))
    hint = "; a block of this device has at most " + std::to_string(maxSharedBytes) +
           " bytes of shared memory";
  if (hint.empty())
    hint = largeClusterHint(launch);
  return hint;
}

std::string earlierWorkHint(int error) {
  constexpr int kIllegalAddress = 700, kLaunchTimeout = 702, kAssert = 710, kHardwareStack = 714,
                kLaunchFailed = 719;
  bool whileRunning = error == kIllegalAddress || error == kLaunchTimeout || error == kAssert ||
                      (error >= kHardwareStack && error <= kLaunchFailed);
  return whileRunning ? "; this launch did not cause it: a kernel that was launched before failed "
                        "while it ran, and nothing runs on the device any more"
                      : "";
}

} // namespace fairlead::cuda
