/// Blocks of one cluster, which run at the same time and wait for each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "runtime/cpu/TensorMemory.h"
#include "runtime/cpu/ThreadState.h"
#include "runtime/cpu/UnstartedClusters.h"

namespace fairlead::cpu {

/// Maximum number of blocks in a cluster, as devices allow it to programs that opt in.
constexpr int64_t kMaxClusterBlocks = 16;

/// A block whose threads are suspended while they wait, as the others of its cluster see it.
class ClusterMember {
public:
  /// True if all threads that have not ended have arrived at the cluster's barrier.
  virtual bool hasArrived() const = 0;
  /// The cluster's barrier has opened.
  virtual void release() = 0;
  /// The block's index, and its waiting threads with their events.
  virtual std::string describeIn() const = 0;

protected:
  ~ClusterMember() = default;
};

/// Each block has a system thread, and only one of them runs at a time. So their shared data need
/// not be atomic, and a program gives the same result every time. The object is reused for one
/// cluster after the other.
class Cluster {
public:
  /// `shared`: bytes of each block.
  Cluster(size_t blocks, size_t shared);
  ~Cluster();
  Cluster(const Cluster &) = delete;
  Cluster &operator=(const Cluster &) = delete;

  size_t size() const { return blocks; }
  /// False when the system had no memory.
  bool hasMemory() const { return memory || stride == 0; }
  char *sharedOf(size_t rank) const { return memory + stride * rank; }
  /// From one block's shared memory to the next one's.
  size_t bytesApart() const { return stride; }
  /// Maps an address to the corresponding one in the shared memory of another block.
  char *map(const void *own, size_t from, size_t to) const {
    return const_cast<char *>(static_cast<const char *>(own)) +
           (static_cast<ptrdiff_t>(to) - static_cast<ptrdiff_t>(from)) *
               static_cast<ptrdiff_t>(stride);
  }

  /// The tensor memory of a block, which gets it with the first use.
  TensorMemory &tensorMemoryOf(size_t rank) {
    if (!tensorMemories[rank])
      tensorMemories[rank] = std::make_unique<TensorMemory>();
    return *tensorMemories[rank];
  }

  /// True if blocks of a pair wait for each other there, until both have asked for columns.
  bool isPairBarrier(const void *barrier) const {
    return std::any_of(tensorMemories.begin(), tensorMemories.end(), [&](const auto &memory) {
      return memory && &memory->pairBarrier == barrier;
    });
  }

  bool hasTensorMemory(size_t rank) const { return tensorMemories[rank] != nullptr; }

  /// Waits for the block's first turn.
  void begin(size_t rank) { turns[rank].acquire(); }
  /// The block has ended.
  void end(size_t rank);

  UnstartedClusters unstarted;     ///< clusters of the grid that will run here, one after another
  std::optional<uint64_t> current; ///< the cluster that runs; none: all are done

  // Called by the running block:

  void join(size_t rank, ClusterMember *member) { members[rank] = member; }
  /// Runs the other blocks, and returns in this block's next turn. `moved`: some thread has made
  /// progress since the last call; `asked`: only polling threads have. Returns false immediately
  /// if no block can ever continue.
  bool pass(size_t rank, bool moved, bool asked);
  /// Opens the cluster's barrier if all threads have arrived there.
  void tryRelease();
  /// The waiting threads of the other blocks with their events; begins with "; ".
  std::string describeOthers(size_t rank) const;

  /// An mbarrier in the shared memory of one of the blocks is initialized.
  void noteInit(const void *barrier) { initialized.insert(barrier); }
  /// A copy's bytes have come to an mbarrier.
  void noteBytes(const void *barrier, int64_t bytes) {
    if (!initialized.count(barrier))
      early[barrier] += bytes;
  }
  /// Bytes that came to an mbarrier before it was initialized, and so do not count.
  int64_t earlyBytes(const void *barrier) const {
    auto entry = early.find(barrier);
    return entry == early.end() ? 0 : entry->second;
  }

private:
  void giveTurn(size_t after);

  const size_t blocks, stride;
  char *memory = nullptr;
  std::array<std::binary_semaphore, kMaxClusterBlocks> turns;
  std::array<ClusterMember *, kMaxClusterBlocks> members{};
  std::array<bool, kMaxClusterBlocks> ended{};
  size_t running;
  size_t quiet = 0;  ///< turns one after the other in which no thread went on
  size_t asking = 0; ///< of these, turns in which threads asked
  std::array<std::unique_ptr<TensorMemory>, kMaxClusterBlocks> tensorMemories;
  std::unordered_set<const void *> initialized;
  std::unordered_map<const void *, int64_t> early;
};

inline BlockInCluster blockInCluster() { return ThreadState::own().place; }

} // namespace fairlead::cpu
