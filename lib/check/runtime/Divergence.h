/// Barriers, and operations of whole warps and warpgroups, that some threads reach and others go
/// past. As CUDA defines it, threads that have left the kernel do not count.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_DIVERGENCE_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_DIVERGENCE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/runtime/Reporter.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/ThreadPaths.h"
#include "runtime/cpu/LaunchObserver.h"

namespace fairlead::check {

/// Sites and threads of `at` are those of the run, threads of cpu::WaitingThread those of a block.
class Divergence {
public:
  /// The references outlive the object.
  Divergence(const RunningBlock &block, Reporter &reporter) : block(block), reporter(reporter) {}

  ThreadPaths paths;

  void beginRun() {
    paths.beginRun(block.numThreads());
    arrivals.clear();
    reached.clear();
    isStuck = false;
  }
  /// A thread arrives at a barrier without waiting.
  void arrive(const cpu::BarrierThread &thread);
  /// These threads are going to leave a barrier.
  void leave(const std::vector<cpu::BarrierThread> &threads);
  /// These lanes of a warp meet at an operation of the lanes `mask`.
  void meet(const std::vector<cpu::WaitingThread> &lanes, const cpu::WarpMeeting &meeting);
  /// A thread comes to an operation of all threads of its group (FairleadCheckReaches).
  void reach(const ThreadAt &at, uint32_t group);
  /// Lanes disagree about a branch around an operation of all of them (FairleadCheckDisagrees).
  void disagree(const ThreadAt &at, void *branch);
  /// No thread of the block can go on.
  void stop() { isStuck = true; }
  bool anyReached() const { return !reached.empty(); }
  /// Compares how often the threads of each group came to its operations.
  void endBlock();
  /// Returns where the waiting threads part, for a hint; empty if that is not known.
  [[gnu::cold]] std::string partingHint(const std::vector<cpu::WaitingThread> &waiting) const;

private:
  using Threads = std::vector<uint32_t>; ///< numbers in the run
  /// A thread that came to a barrier, and its way there.
  struct Arrival {
    cpu::WaitingThread thread;
    ThreadPaths::Path path;
  };
  struct Reached {
    uint32_t group;
    std::vector<uint32_t> times;                 ///< by threads
    std::map<uint32_t, ThreadPaths::Path> paths; ///< of the first thread of each group
  };
  /// Threads that do not come, and the branch that led the first of them past.
  struct Absent {
    Threads threads;
    std::optional<uint32_t> branch;
  };

  ThreadAt at(const cpu::WaitingThread &thread) const {
    return {thread.site, block.numberOf(thread.thread)};
  }
  size_t inBlock(uint32_t thread) const { return thread - block.numberOf(0); }
  [[gnu::cold]] std::string countOf(const Threads &threads) const;
  [[gnu::cold]] std::string branchText(uint32_t branch) const;

  [[gnu::cold]] bool differInSite(const std::vector<cpu::WaitingThread> &threads,
                                  const std::string &name);
  [[gnu::cold]] void differInIteration(const std::vector<cpu::WaitingThread> &threads,
                                       const std::string &name);
  void meetOfBlock(const std::vector<cpu::WaitingThread> &threads);
  [[gnu::cold]] void meetOfWarps(const std::string &name, const std::vector<Arrival> &come);
  Absent absentLanes(const Arrival &came, const Threads &lanes) const;
  [[gnu::cold]] void report(const std::vector<cpu::WaitingThread> &came, const Absent &absent,
                            const std::string &name, const std::string &hint);
  void compareGroup(void *site, const Reached &operation, const Threads &group);

  const RunningBlock &block;
  Reporter &reporter;
  std::map<int, std::vector<Arrival>> arrivals; ///< by barriers, since they opened last
  std::map<void *, Reached> reached;            ///< by sites
  bool isStuck = false;
};

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_DIVERGENCE_H_
