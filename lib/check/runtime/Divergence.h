/// Barriers, and operations of whole warps and warpgroups, that some threads reach and others go
/// past. As CUDA defines it, threads that have left the kernel do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/runtime/Reporter.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Touch.h"
#include "runtime/cpu/LaunchObserver.h"

namespace fairlead::check {

/// Threads are numbered in the run, branches and loops in the kernel.
class ThreadPaths {
public:
  /// A branch or loop that a thread is in.
  struct Step {
    uint32_t branch;
    uint32_t side;      ///< 0 for the `else` side of a branch
    uint32_t iteration; ///< of a loop, from 1 on; 0 for a branch
    bool operator==(const Step &) const = default;
  };
  using Path = std::vector<Step>;

  void beginRun(size_t threads) { ways.assign(threads, {}); }
  /// A step of FairleadCheckBranch.
  void take(const ThreadAt &at, uint32_t branch, int32_t event);
  void end(uint32_t thread) { ways[thread].hasEnded = true; }

  bool hasEnded(uint32_t thread) const { return ways[thread].hasEnded; }
  const Path &pathOf(uint32_t thread) const { return ways[thread].path; }
  void *siteOf(uint32_t branch) const { return sites[branch]; }

  /// Returns the outermost branch or loop of `path`, where `came` is or was, that `absent` has
  /// entered less often, or nothing.
  std::optional<uint32_t> parting(const Path &path, uint32_t came, uint32_t absent) const;
  /// Returns that branch or loop if `absent` went on after it, before it ended: it then has not
  /// left the kernel early.
  std::optional<uint32_t> skipped(const Path &path, uint32_t came, uint32_t absent) const;
  /// Returns the outermost branch or loop whose sides or iterations differ for the two threads.
  std::optional<uint32_t> difference(uint32_t one, uint32_t other) const;

private:
  struct Visits {
    uint32_t times[2] = {}; ///< number of entries, by side; iterations of a loop are at 1
    uint32_t left[2] = {};  ///< the thread's clock when it left that side last; loops are at 0
  };
  struct Way {
    Path path;
    std::vector<Visits> visits; ///< by branches
    uint32_t clock = 0, acted = 0;
    bool hasEnded = false;
  };
  Visits visitsOf(uint32_t thread, uint32_t branch) const {
    const std::vector<Visits> &visits = ways[thread].visits;
    return branch < visits.size() ? visits[branch] : Visits{};
  }
  std::optional<Step> partingStep(const Path &path, uint32_t came, uint32_t absent) const;

  std::vector<Way> ways;
  std::vector<void *> sites; ///< by branches
};

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
