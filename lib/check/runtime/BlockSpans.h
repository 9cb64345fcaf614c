/// Accesses of many threads at once: taken as they are while they show that nothing races, else
/// taken apart into the accesses that they stand for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/runtime/CallTensors.h"
#include "check/runtime/Memory.h"
#include "check/runtime/Races.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Spans.h"
#include "check/runtime/Touch.h"
#include "check/runtime/WatchedMemory.h"
#include "fairlead/CheckCpu.h"

namespace fairlead::check {

/// The spans that a block reports, step by step. Most blocks report the spans of the previous block
/// for their shared memory, and its results then hold again.
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

/// Spans as they were reported: of all threads of a part of a block.
struct GivenSpans {
  const FairleadCheckSpan *spans;
  size_t number;
  const int64_t *threads; ///< extents of the part, 3 numbers
  uint32_t thread;        ///< number in the block of the part's first thread
};

/// True if the spans are affine maps, and inside of their tensors.
bool areInside(const GivenSpans &given, const CallTensors &tensors);

class BlockSpans {
public:
  /// The references outlive the object.
  BlockSpans(const FairleadLaunch &launch, const CallTensors &tensors, const RunningBlock &block,
             WatchedMemory &memory, Sites &sites, Races &races)
      : launch(launch), tensors(tensors), block(block), memory(memory), sites(sites), races(races) {
  }

  /// The launch begins: its memory is known.
  void begin();
  /// A run begins. Its shared memory may lie elsewhere than that of the run before.
  void beginRun(bool sharedMoved) {
    interval.clear();
    steps.beginBlock();
    if (sharedMoved)
      steps.forget();
    std::fill(singles.begin(), singles.end(), Hull());
    copied = {};
  }

  /// Takes accesses of many threads; returns false if they have to be reported one by one.
  bool take(const GivenSpans &given);
  /// True if the block before took the same step (FairleadCheckRepeats).
  bool repeats(int32_t step, const int64_t *threads, uint32_t thread) {
    return steps.takeIfNext(step, threads, thread);
  }
  /// All threads of the block are at a barrier.
  void meet() {
    interval.clear();
    steps.meet();
    std::fill(singles.begin(), singles.end(), Hull());
  }

  /// Prepares memory `number` for a single access of these bytes. The clocks of the run have begun.
  void prepare(int number, const char *from, const char *to);
  /// Asynchronous copies write these bytes of shared memory.
  void noteCopy(const char *from, const char *to) { copied.add(from, to); }
  /// Gives all accesses until now the current clocks. Call it before threads order their accesses
  /// other than by a barrier of the block. The clocks of the run have begun.
  void takeAllApart();
  /// True if accesses since the last barrier are known as spans alone.
  bool any();

  // Accesses of global memory by all blocks so far.

  bool isUsed(int number) { return granulesOf(number).isUsed(); }
  bool isWritten(int number, const char *address, size_t bytes);
  /// True if it was read since the last write.
  bool isRead(int number, const char *address, size_t bytes);
  struct Writer {
    void *site;
    uint32_t thread, run;
    bool isAtomic;
  };
  /// Who wrote there last. Something has.
  Writer writerOf(int number, const char *address, size_t bytes);

private:
  bool takeAgain(const GivenSpans &given);
  bool takeSpan(const Span &span);
  bool racesWithBlocks(const Span &span, Granules &granules);
  Granules::Entry entryAt(int number, const char *address);
  Granules &granulesOf(int number) {
    return granules[static_cast<size_t>(number - WatchedMemory::kFirstGlobal)];
  }
  void log(const Span &span);
  Span spanAt(uint32_t entry) const;
  void recall();
  void forgetSteps();
  void takeApart(int number, const char *from, const char *to);
  void logToCells(int number, const char *from, const char *to);
  void repeat(const Span &span, int number);

  const FairleadLaunch &launch;
  const CallTensors &tensors;
  const RunningBlock &block;
  WatchedMemory &memory;
  Sites &sites;
  Races &races;

  /// Accesses of this block since the last barrier; spans of shared memory may still be in `steps`.
  std::vector<Span> interval;
  Steps steps;
  /// Ranges of single accesses since then, by memory; and of copies since the run began.
  std::vector<Hull> singles;
  Hull copied;
  std::vector<Granules> granules; ///< of the global memories
  struct Logged {
    char *first;
    uint32_t shape, run;
  };
  std::vector<Logged> logged;        ///< spans of global memory, of all blocks
  std::vector<Span> shapes;          ///< with `first` 0
  std::vector<uint32_t> shapeOfSite; ///< the last one, counted from 1
};

} // namespace fairlead::check
