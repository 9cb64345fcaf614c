#include "runtime/cpu/LaunchCheck.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "fairlead/CheckCpu.h"
#include "fairlead/TensorMap.h"
#include "runtime/LaunchShape.h"
#include "runtime/Raise.h"
#include "runtime/cpu/Cluster.h"

namespace fairlead::cpu {
namespace {

using runtime::extents;
using runtime::hasCluster;
using runtime::raise;

bool isBlockValid(const int32_t (&block)[3]) {
  for (int32_t extent : block)
    if (extent < 1 || extent > kMaxBlockThreads)
      return false;
  return int64_t(block[0]) * block[1] * block[2] <= kMaxBlockThreads;
}

/// Describes the expected cluster if the launch's is wrong; empty for a valid one.
std::string expectedCluster(const FairleadLaunch &launch) {
  int64_t blocks = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch.cluster[d] < 1)
      return "extents of 1 or more";
    if (launch.grid[d] % clusterExtent(launch, d) != 0)
      return "extents that divide those of the grid, " + extents(launch.grid);
    blocks = std::min(blocks * clusterExtent(launch, d), kMaxClusterBlocks + 1);
  }
  if (blocks > kMaxClusterBlocks)
    return "at most " + std::to_string(kMaxClusterBlocks) + " blocks";
  // Threads and what works for them are numbered with 16 bits there (check/runtime/Clocks.h).
  constexpr int64_t kMostChecked = 13000;
  if (launch.flags & kFairleadLaunchShadowed &&
      blocks * launch.block[0] * launch.block[1] * launch.block[2] > kMostChecked)
    return "at most " + std::to_string(kMostChecked) +
           " threads under checks of shared memory (--check)";
  return {};
}

} // namespace

int64_t countBlocks(FairleadCallContext *context, const char *kernelName,
                    const FairleadLaunch &launch) {
  const auto &grid = launch.grid;
  if (grid[0] < 0 || grid[1] < 0 || grid[2] < 0) [[unlikely]] {
    raise(context, Diagnostic::LaunchGridNegative,
          {{"kernel", kernelName}, {"grid", extents(grid)}});
    return -1;
  }
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return 0;
  int64_t blocks;
  if (__builtin_mul_overflow(int64_t(grid[0]) * grid[1], int64_t(grid[2]), &blocks) ||
      blocks > kMaxBlocks) [[unlikely]] {
    raise(context, Diagnostic::LaunchGridSize,
          {{"kernel", kernelName},
           {"expected", std::to_string(kMaxBlocks)},
           {"grid", extents(grid)}});
    return -1;
  }
  if (!isBlockValid(launch.block)) [[unlikely]] {
    raise(context, Diagnostic::LaunchBlockSize,
          {{"kernel", kernelName}, {"block", extents(launch.block)}});
    return -1;
  }
  // Three zeros are no cluster.
  if (hasCluster(launch) || launch.cluster[0] != launch.cluster[1] ||
      launch.cluster[0] != launch.cluster[2]) [[unlikely]] {
    if (std::string expected = expectedCluster(launch); !expected.empty()) {
      raise(context, Diagnostic::LaunchCluster,
            {{"kernel", kernelName},
             {"expected", std::move(expected)},
             {"cluster", extents(launch.cluster)}});
      return -1;
    }
  }
  // The error has the name that GPUs give it: programs look for it.
  if ((launch.flags & kFairleadLaunchCooperative) && blocks > kMaxBlocksTogether) [[unlikely]] {
    raise(context, Diagnostic::CudaCall,
          {{"error", "cudaErrorCooperativeLaunchTooLarge"},
           {"action", std::string("launching `") + kernelName +
                          "` on the CPU with grid=" + extents(grid) + ": at most " +
                          std::to_string(kMaxBlocksTogether) + " blocks run at once"}});
    return -1;
  }
  if (launch.shared_bytes < 0) [[unlikely]] {
    raise(context, Diagnostic::LaunchSharedMemory,
          {{"kernel", kernelName}, {"got", std::to_string(launch.shared_bytes)}});
    return -1;
  }
  return blocks;
}

} // namespace fairlead::cpu

// FairleadCpuTensorMap: kernels compiled for the CPU get the fields of a tensor map.

void FairleadCpuTensorMap(FairleadCallContext *context, const FairleadTensorMap *fields,
                          void *target) {
  using namespace fairlead;
  if (context->status != 0)
    return;
  static_assert(sizeof *fields <= 128);
  std::memcpy(target, fields, sizeof *fields);
  if (std::string problem = runtime::problemOf(*fields); !problem.empty()) [[unlikely]]
    runtime::raise(context, Diagnostic::LaunchText, {{"what", "tensor map"}, {"problem", problem}});
}
