/// Uses of a block's barriers that no GPU guarantees.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_BARRIERUSE_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_BARRIERUSE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "check/runtime/Reporter.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Touch.h"
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

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_BARRIERUSE_H_
