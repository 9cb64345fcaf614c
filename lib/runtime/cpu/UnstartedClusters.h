/// Clusters of a grid that a thread of the system will run, one after another, unless a running one
/// takes them over. A block without a cluster counts as a cluster here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "fairlead/Runtime.h"

namespace fairlead::cpu {

/// Returns the index of the first block of a cluster of the launch; x runs fastest.
std::array<int32_t, 3> firstBlockOf(const FairleadLaunch &launch, uint64_t cluster);

/// Every `step`-th cluster from `next` on, below `end`.
struct UnstartedClusters {
  const FairleadLaunch *launch = nullptr;
  uint64_t next = 0, end = 0, step = 1;
  const std::vector<size_t> *order = nullptr; ///< numbers of the clusters; null: as they are
  bool hasRefused = false;                    ///< a running cluster has learned that none is left

  /// Returns the number of the next cluster, which is no longer one of these.
  std::optional<uint64_t> take() {
    if (next >= end)
      return std::nullopt;
    const uint64_t at = next;
    next += step;
    return order ? (*order)[at] : at;
  }
};

/// Returns the bytes of shared memory of the block that the calling thread runs; no limit if it
/// runs none.
int64_t sharedBytesOfBlock();

} // namespace fairlead::cpu
