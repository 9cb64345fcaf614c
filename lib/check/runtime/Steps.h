/// The spans that a block reports, step by step. Most blocks report the spans of the previous block
/// for their shared memory, and its results then hold again.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_STEPS_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_STEPS_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/runtime/Spans.h"
#include "fairlead/CheckCpu.h"

namespace fairlead::check {

class Steps {
public:
  struct Step {
    std::vector<Span> spans;    ///< one for each that was reported
    std::vector<size_t> global; ///< which of them are to be looked at in each block
    std::vector<Span> shared;   ///< what the step added to its interval
    std::vector<FairleadCheckSpan> reported;
    int64_t threads[Span::kThreadDimensions] = {};
    uint32_t thread = 0, barriers = 0;
    int32_t number = 0; ///< of FairleadCheckRepeats; 0: blocks may differ

    bool isAt(const int64_t *otherThreads, uint32_t otherThread, uint32_t otherBarriers) const {
      return barriers == otherBarriers && thread == otherThread &&
             areEqual(threads, otherThreads, Span::kThreadDimensions);
    }
  };

  void beginBlock() {
    next = recalled = 0;
    barriers = 0;
    stopped = false;
  }
  /// Forgets all steps, because the address of shared memory changes.
  void forget() { recorded.clear(); }
  /// All threads are at a barrier.
  void meet() {
    ++barriers;
    recalled = next;
  }
  /// Stops recording: this block did something that spans do not describe.
  void stop() { stopped = true; }

  /// True if the previous block reported equal spans at this step.
  bool isNext(const FairleadCheckSpan *reported, size_t number, const int64_t *threads,
              uint32_t thread) const {
    if (stopped || next >= recorded.size())
      return false;
    const Step &step = recorded[next];
    if (step.reported.size() != number || !step.isAt(threads, thread, barriers))
      return false;
    for (size_t i = 0, g = 0; i < number; ++i) {
      const bool moves = g < step.global.size() && step.global[g] == i;
      g += moves;
      if (!isSame(reported[i], step.reported[i], moves))
        return false;
    }
    return true;
  }
  /// isNext for a step that does not depend on the block; moves to the next step if true. Otherwise
  /// the next spans belong to this step.
  bool takeIfNext(int32_t number, const int64_t *threads, uint32_t thread) {
    if (!stopped && next < recorded.size() && recorded[next].number == number &&
        recorded[next].isAt(threads, thread, barriers)) {
      ++next;
      return true;
    }
    toldNext = number;
    return false;
  }
  /// Returns the number passed to takeIfNext, once.
  int32_t takeNumber() { return std::exchange(toldNext, 0); }
  const Step &take() { return recorded[next++]; }
  void untake() { --next; }

  /// Records a step that the previous block did not take.
  void add(Step step, const FairleadCheckSpan *reported, size_t number, const int64_t *threads,
           uint32_t thread) {
    if (stopped)
      return;
    recorded.resize(next);
    step.reported.assign(reported, reported + number);
    std::copy(threads, threads + Span::kThreadDimensions, step.threads);
    step.thread = thread;
    step.barriers = barriers;
    recorded.push_back(std::move(step));
    recalled = ++next;
  }

  /// Visits the spans of shared memory since the last barrier that were not visited yet.
  template <typename Visit> void recall(const Visit &visit) {
    for (; recalled < next; ++recalled)
      for (const Span &span : recorded[recalled].shared)
        visit(span);
  }

private:
  static bool isSame(const FairleadCheckSpan &a, const FairleadCheckSpan &b, bool moves) {
    auto number = [](const void *address) { return reinterpret_cast<uintptr_t>(address); };
    if (moves ? number(a.last) - number(a.first) != number(b.last) - number(b.first)
              : a.first != b.first || a.last != b.last)
      return false;
    return a.site == b.site && a.base == b.base && a.what == b.what &&
           areEqual(a.stride, b.stride, Span::kDimensions) && areEqual(a.rounds, b.rounds, 2);
  }

  std::vector<Step> recorded;
  size_t next = 0;     ///< step of the block that runs
  size_t recalled = 0; ///< the spans of steps from here on are in no interval
  uint32_t barriers = 0;
  int32_t toldNext = 0; ///< the number of the step that is told now
  bool stopped = false;
};

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_STEPS_H_
