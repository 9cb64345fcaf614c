/// What a launch on the CPU may ask for.
#ifndef FAIRLEAD_LIB_CPU_LAUNCHCHECK_H
#define FAIRLEAD_LIB_CPU_LAUNCHCHECK_H

#include <cstdint>

#include "fairlead/Runtime.h"

namespace fairlead::cpu {

constexpr int64_t kMaxBlockThreads = 1024;
/// Blocks of a cooperative launch, each of which is a thread of the system.
constexpr int64_t kMaxBlocksTogether = 128;
/// Blocks of a grid; leaves the hand-out counter room to run past the end.
constexpr int64_t kMaxBlocks = int64_t(1) << 61;

/// Blocks of a cluster in each direction; 1 without clusters.
inline int32_t clusterExtent(const FairleadLaunch &launch, int d) {
  return launch.cluster[d] > 1 ? launch.cluster[d] : 1;
}

/// Blocks of the grid; 0 for a grid with nothing to do. -1 with an error raised, naming the kernel,
/// when the launch is not possible. The block is looked at only when there is something to run.
int64_t countBlocks(FairleadCallContext *context, const char *kernelName,
                    const FairleadLaunch &launch);

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_CPU_LAUNCHCHECK_H
