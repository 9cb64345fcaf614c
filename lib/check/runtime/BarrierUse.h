/// Uses of a block's barriers that no GPU guarantees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "check/runtime/Clocks.h"
#include "check/runtime/Reporter.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Touch.h"
#include "check/runtime/WatchedMemory.h"
#include "runtime/cpu/LaunchObserver.h"

namespace fairlead::check {

class BarrierUse {
public:
  /// The references outlive the object.
  BarrierUse(const RunningBlock &block, Reporter &reporter) : block(block), reporter(reporter) {}

  void beginRun() { lastArrivals.clear(); }
  /// A thread arrives without waiting.
  void arrive(const cpu::BarrierThread &thread);
  /// Threads are going to leave, after `arrived` have come to the barrier, which opens for
  /// `expected`.
  void leave(const std::vector<cpu::BarrierThread> &threads, size_t arrived, size_t expected);

private:
  ThreadAt at(const cpu::BarrierThread &thread) const {
    return {thread.waiting.site, block.numberOf(thread.waiting.thread)};
  }
  void checkNumber(const cpu::BarrierThread &thread);

  struct Arrival {
    ThreadAt by;
    int32_t threads; ///< as its instruction says
  };
  const RunningBlock &block;
  Reporter &reporter;
  std::map<int, Arrival> lastArrivals; ///< of threads that did not wait, by barrier
};

/// Misuse of mbarriers: initialised by two warps, used before they are initialised, or with more
/// arrivals than they expect.
class MbarrierUse {
public:
  /// The references outlive the object. If `reports` is false, nothing is reported.
  MbarrierUse(const WatchedMemory &memory, const Clocks &clocks, Reporter &reporter, bool reports)
      : memory(memory), clocks(clocks), reporter(reporter), reports(reports) {}

  void beginRun() {
    mbarriers.clear();
    notFenced.clear();
  }
  /// True if the run has mbarriers.
  bool any() const { return !mbarriers.empty(); }
  /// True if the address is in an mbarrier that the run has initialised.
  bool has(const char *address) const {
    constexpr size_t kBytes = 8;
    return mbarriers.count(address - reinterpret_cast<uintptr_t>(address) % kBytes);
  }

  void initialise(const ThreadAt &by, const void *mbarrier);
  /// The thread `verb` ("waits at") the mbarrier.
  void use(const ThreadAt &by, const void *mbarrier, const char *verb);
  void arrive(const ThreadAt &by, const void *mbarrier, int64_t number);
  /// A copy of the thread is going to arrive.
  void copyTo(const ThreadAt &by, const void *mbarrier);
  /// Copies know of the mbarriers from now on whose initialisation the thread knows of.
  void fence(uint32_t thread);
  /// Describes, as a hint, the arrivals that the open phase lacks.
  std::string missing(const void *mbarrier) const;

private:
  bool isChecked(const void *mbarrier) const {
    return reports && memory.isShared(static_cast<const char *>(mbarrier));
  }
  struct Begun {
    ThreadAt by;
    uint32_t when;
    bool fenced = false; ///< copies know of it
  };
  void needOrder(const ThreadAt &by, const Begun &begun);
  void needFence(const ThreadAt &by, const void *mbarrier);

  const WatchedMemory &memory;
  const Clocks &clocks;
  Reporter &reporter;
  const bool reports;
  std::map<const void *, Begun> mbarriers; ///< by whom they were initialised
  std::set<const void *> notFenced;        ///< of these
};

} // namespace fairlead::check
