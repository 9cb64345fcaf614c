/// Accesses of many threads at once: taken as they are while they show that nothing races, else
/// taken apart into the accesses that they stand for.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_BLOCKSPANS_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_BLOCKSPANS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/runtime/CallTensors.h"
#include "check/runtime/Memory.h"
#include "check/runtime/Races.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Sites.h"
#include "check/runtime/Spans.h"
#include "check/runtime/Steps.h"
#include "check/runtime/WatchedMemory.h"
#include "fairlead/CheckCpu.h"

namespace fairlead::check {

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
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_BLOCKSPANS_H_
