/// Limits of a launch on the CPU.
#pragma once

#include <cstdint>

#include "fairlead/Runtime.h"

namespace fairlead::cpu {

constexpr int64_t kMaxBlockThreads = 1024;
/// Most blocks of a cooperative launch. Each block is a thread of the system.
constexpr int64_t kMaxBlocksTogether = 128;
/// Blocks of a grid; leaves the hand-out counter room to run past the end.
constexpr int64_t kMaxBlocks = int64_t(1) << 61;

/// Blocks of a cluster in each direction; 1 without clusters.
inline int32_t clusterExtent(const FairleadLaunch &launch, int d) {
  return launch.cluster[d] > 1 ? launch.cluster[d] : 1;
}

/// Returns the number of blocks of the grid; 0 for a grid with nothing to do. Returns -1 with an
/// error raised that names the kernel if the launch is not possible. Checks the block only if the
/// grid is not empty.
int64_t countBlocks(FairleadCallContext *context, const char *kernelName,
                    const FairleadLaunch &launch);

} // namespace fairlead::cpu
