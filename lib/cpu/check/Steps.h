/// What a block tells by spans, step by step. Most blocks tell the same of their shared memory as
/// the block before, and what was found then holds again.
#ifndef FAIRLEAD_LIB_CPU_CHECK_STEPS_H
#define FAIRLEAD_LIB_CPU_CHECK_STEPS_H

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "cpu/check/Spans.h"
#include "fairlead/CheckCpu.h"

namespace fairlead::cpu::check {

class Steps {
public:
  struct Step {
    std::vector<Span> spans;    ///< one for each that was given
    std::vector<size_t> global; ///< which of them are to be looked at in each block
    std::vector<Span> shared;   ///< what the step added to its interval
    std::vector<FairleadCheckSpan> given;
    int64_t threads[Span::kThreadDimensions] = {};
    uint32_t thread = 0, barriers = 0;
  };

  void beginBlock() {
    next = recalled = 0;
    barriers = 0;
    stopped = false;
  }
  /// All threads are at a barrier.
  void meet() {
    ++barriers;
    recalled = next;
  }
  /// This block has done something else than spans tell; what it tells from now on is not kept.
  void stop() { stopped = true; }

  /// Whether the block before told the same at this step.
  bool isNext(const FairleadCheckSpan *given, size_t number, const int64_t *threads,
              uint32_t thread) const {
    if (stopped || next >= known.size())
      return false;
    const Step &step = known[next];
    if (step.given.size() != number || step.barriers != barriers || step.thread != thread ||
        !std::equal(threads, threads + Span::kThreadDimensions, step.threads))
      return false;
    if (step.global.empty())
      return std::memcmp(given, step.given.data(), number * sizeof *given) == 0;
    for (size_t i = 0, g = 0; i < number; ++i) {
      FairleadCheckSpan moved = given[i];
      if (g < step.global.size() && step.global[g] == i) {
        ++g;
        const FairleadCheckSpan &old = step.given[i];
        if (static_cast<char *>(moved.last) - static_cast<char *>(moved.first) !=
            static_cast<char *>(old.last) - static_cast<char *>(old.first))
          return false;
        moved.first = old.first;
        moved.last = old.last;
      }
      if (std::memcmp(&moved, &step.given[i], sizeof moved) != 0)
        return false;
    }
    return true;
  }
  const Step &take() { return known[next++]; }
  void untake() { --next; }

  /// A step that the block before did not take.
  void add(Step step, const FairleadCheckSpan *given, size_t number, const int64_t *threads,
           uint32_t thread) {
    if (stopped)
      return;
    known.resize(next);
    step.given.assign(given, given + number);
    std::copy(threads, threads + Span::kThreadDimensions, step.threads);
    step.thread = thread;
    step.barriers = barriers;
    known.push_back(std::move(step));
    recalled = ++next;
  }

  /// Visits the spans of shared memory since the last barrier that were not visited yet.
  template <typename Visit> void recall(const Visit &visit) {
    for (; recalled < next; ++recalled)
      for (const Span &span : known[recalled].shared)
        visit(span);
  }

private:
  std::vector<Step> known;
  size_t next = 0;     ///< step of the block that runs
  size_t recalled = 0; ///< the spans of steps from here on are in no interval
  uint32_t barriers = 0;
  bool stopped = false;
};

} // namespace fairlead::cpu::check
#endif // FAIRLEAD_LIB_CPU_CHECK_STEPS_H
