/// The block, or the cluster of blocks, that runs: how its threads are numbered, and named in
/// findings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "fairlead/Runtime.h"
#include "runtime/cpu/LaunchObserver.h"

namespace fairlead::check {

constexpr int kBarriersPerBlock = 16;

/// The block that a thread of the system runs. Several of them run blocks of one launch at the same
/// time, if the launch does not see threads.
struct CurrentBlock {
  int32_t index[3] = {};
  int64_t number = 0; ///< in the grid
  size_t rank = 0;    ///< in its cluster
};
inline CurrentBlock &currentBlock() {
  static constinit thread_local CurrentBlock place;
  return place;
}

/// A run is one of a block, or of a whole cluster: its blocks have their turns one at a time, and
/// their threads are numbered one block after the other, and are ordered as those of one block are.
class RunningBlock {
public:
  /// The launch outlives it.
  explicit RunningBlock(const FairleadLaunch &launch);

  /// Notes the block that the calling thread runs from now on.
  void enter(const cpu::ObservedBlock &block) const {
    CurrentBlock &place = currentBlock();
    std::copy(std::begin(block.index), std::end(block.index), place.index);
    place.number = block.index[0] + int64_t{launch.grid[0]} *
                                        (block.index[1] + int64_t{launch.grid[1]} * block.index[2]);
    place.rank = block.rank;
  }
  /// A block begins. Returns false if it is part of the run that has begun with another block.
  bool begin(const cpu::ObservedBlock &block) {
    if (block.blocks > 1)
      return beginInCluster(block);
    number = kFirstRun + static_cast<uint32_t>(currentBlock().number);
    return true;
  }

  /// The first number of a run. Smaller ones mean the time before the launch.
  static constexpr uint32_t kFirstRun = 1;
  uint32_t run() const { return number; }
  size_t numBlocks() const { return blocks; }
  bool isCluster() const { return blocks > 1; }
  /// Bytes from one block's shared memory to the next one's, in a cluster.
  size_t sharedStride() const { return stride; }
  /// Threads are numbered below this; some numbers may be unused.
  size_t numThreads() const { return threadsApart * blocks; }
  /// The number in the run of a thread of the block that the calling thread runs.
  uint32_t numberOf(uint32_t thread) const {
    return static_cast<uint32_t>(currentBlock().rank * threadsApart) + thread;
  }
  size_t rankOf(uint32_t thread) const { return thread / threadsApart; }
  /// Numbers of all threads of the block that the calling thread runs.
  std::vector<uint32_t> threadsHere() const;
  /// Numbers of threads from `first` on that are of its warp.
  std::vector<uint32_t> warpHere(uint32_t first) const;
  /// The number in the run of a barrier of the block that the calling thread runs.
  static int barrierOf(int barrier) {
    return static_cast<int>(currentBlock().rank) * kBarriersPerBlock +
           (barrier & (kBarriersPerBlock - 1));
  }

  /// True if no block of the launch comes after the one that the calling thread runs, in the order
  /// of their numbers.
  bool isLast() const;

  /// "(3, 0, 0)": of a thread in its block; of a block in the grid.
  std::string threadText(uint32_t thread) const;
  std::string blockText(uint32_t run, size_t rank) const;
  static std::string hereText();

private:
  bool beginInCluster(const cpu::ObservedBlock &block);

  const FairleadLaunch &launch;
  const size_t blockThreads; ///< of one block
  /// From the number of a block's first thread to that of the next one's. A warpgroup is of one
  /// block.
  size_t threadsApart;
  size_t blocks = 1, stride = 0;
  uint32_t number = 0;
};

} // namespace fairlead::check
