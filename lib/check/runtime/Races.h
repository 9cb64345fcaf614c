/// Finds accesses of the same memory that nothing orders, one by one.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_RACES_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_RACES_H_

#include <cstddef>
#include <cstdint>

#include "check/runtime/BlockLinks.h"
#include "check/runtime/Clocks.h"
#include "check/runtime/MbarrierUse.h"
#include "check/runtime/Memory.h"
#include "check/runtime/Reporter.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Sites.h"
#include "check/runtime/Touch.h"
#include "check/runtime/WatchedMemory.h"

namespace fairlead::check {

/// Notes in each cell of memory who accessed it, and compares that with the clocks.
class Races {
public:
  /// The references outlive the object.
  Races(const RunningBlock &block, WatchedMemory &memory, Sites &sites, const Clocks &clocks,
        const MbarrierUse &mbarriers, Reporter &reporter)
      : block(block), memory(memory), sites(sites), clocks(clocks), mbarriers(mbarriers),
        reporter(reporter) {}

  /// The clocks of a run have begun. `agents`: agents of its threads read.
  void beginRun(bool agents);

  /// An access of a thread, or of its asynchronous copies, to memory `number`. `value`: the bytes
  /// that are written, or null.
  void access(int number, void *site, uint32_t thread, const char *address, int32_t what,
              const char *value);
  /// A read of shared memory by an agent of a thread.
  void readByAgent(const ThreadAt &issued, uint32_t agent, uint32_t when, const char *address,
                   size_t bytes);
  /// An arrival, of `who` at `when`, at an mbarrier in the shared memory of another block.
  void arrive(const ThreadAt &by, uint32_t who, uint32_t when, const char *mbarrier);
  /// An atomic in global memory orders threads of several blocks.
  void linkBlocks(const char *address) { links.use(block.run(), address); }
  /// A block of a cluster ends, and its shared memory with it. Accesses by other blocks of the
  /// cluster have to be before that; `thread` is one of the block's, and knows of all others.
  void endShared(const char *begin, size_t bytes, uint32_t thread);

private:
  void touch(int number, const Touch &touch);
  bool precedes(const Epoch &epoch, const Touch &touch) const;
  bool areAtomic(const Epoch &earlier, const Touch &touch) const;
  uint32_t rowOf(uint32_t who) const;
  uint32_t whoIn(uint32_t row) const;
  void read(Cell &cell, const Touch &touch, const char *address);
  void noteReader(Cell &cell, const Touch &touch);
  void write(Cell &cell, const Touch &touch, const char *address);
  void checkReaders(const Cell &cell, const Touch &touch, const char *address);
  void race(const Epoch &earlier, bool earlierWrote, const Touch &touch, const char *address) {
    reporter.race(earlier, earlierWrote, touch, address, mbarriers.any());
  }
  bool hasEnded(const Cell &cell) const {
    return cell.write.flags & kEnded && cell.write.block == block.run();
  }

  const RunningBlock &block;
  WatchedMemory &memory;
  Sites &sites;
  const Clocks &clocks;
  const MbarrierUse &mbarriers;
  Reporter &reporter;
  ReaderRows rows;
  BlockLinks links;
};

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_RACES_H_
