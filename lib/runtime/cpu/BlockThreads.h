/// Blocks whose threads wait for each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "fairlead/Runtime.h"
#include "fairlead/TargetInfo.h"
#include "runtime/Findings.h"

namespace fairlead::cpu {

/// Rounds after which threads that only ask whether something has happened count as waiting in
/// vain.
constexpr size_t kMostPolls = 100000;

/// The first block of a launch that could not be run to its end, found by whichever worker.
class BlockFailure {
public:
  bool any() const { return failed.load(std::memory_order_relaxed); }
  void report(std::string where, std::string what) {
    std::lock_guard lock(mutex);
    if (any())
      return;
    block = std::move(where);
    waiting = std::move(what);
    failed.store(true, std::memory_order_release);
  }
  /// An assertion of the block was wrong.
  void reportAssertion(std::string where, std::string what) {
    reportAs(assertion, std::move(where), std::move(what));
  }
  /// A thread of the block was about to access memory out of bounds.
  void reportWrongAccess(std::string where, runtime::WrongAccessReport report) {
    reportAs(wrongAccess, std::move(where), std::move(report));
  }
  /// The block used its tensor memory wrongly.
  void reportTensorMemory(std::string where, std::string what) {
    reportAs(tensorMemory, std::move(where), std::move(what));
  }
  /// "(3, 0, 0)", and the waiting threads with their events; empty if the frames did not fit in
  /// memory.
  std::string block, waiting;
  std::string assertion;                  ///< its message, when that is what failed
  runtime::WrongAccessReport wrongAccess; ///< the report, if that is what failed
  std::string tensorMemory;               ///< what the block did with it, when that is what failed

private:
  template <typename Report> void reportAs(Report &kind, std::string where, Report what) {
    std::lock_guard lock(mutex);
    if (any())
      return;
    block = std::move(where);
    kind = std::move(what);
    failed.store(true, std::memory_order_release);
  }

  std::mutex mutex;
  std::atomic<bool> failed{false};
};

/// "a shuffle of lanes 0xffffffff", of a FairleadWait.
std::string collectiveName(int32_t wait, uint32_t mask);

constexpr int kWarpSize = TargetInfo::kWarpThreads;

/// Sets `result` of the lanes in `group`; they all wait for the same operation. `lanes` holds the
/// threads of the warp that the block has. Returns the lanes that read from an absent lane.
uint32_t meet(FairleadCpuThread *lanes, uint32_t group);

/// "0-39, 48": of ascending numbers.
inline std::string threadRanges(const std::vector<size_t> &threads) {
  constexpr size_t kMost = 4;
  std::string text;
  for (size_t i = 0, number = 0; i < threads.size(); ++number) {
    size_t last = i;
    while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1)
      ++last;
    if (number == kMost)
      return text + ", ...";
    text += (number ? ", " : "") + std::to_string(threads[i]);
    if (last > i)
      text += "-" + std::to_string(threads[last]);
    i = last + 1;
  }
  return text;
}

} // namespace fairlead::cpu
