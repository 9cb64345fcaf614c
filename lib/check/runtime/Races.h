/// Finds accesses of the same memory that nothing orders, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "check/runtime/BarrierUse.h"
#include "check/runtime/Clocks.h"
#include "check/runtime/Memory.h"
#include "check/runtime/Reporter.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Touch.h"
#include "check/runtime/WatchedMemory.h"

namespace fairlead::check {

/// Order between blocks, by atomics in global memory.
class BlockLinks {
public:
  void beginRun() { heard.clear(); }

  /// The run that is in progress uses the atomic at the address, which orders threads.
  void use(uint32_t run, const char *address) {
    Link &link = links[address];
    link.runs.insert(run);
    link.before.insert(heard.begin(), heard.end());
    heard.insert(address);
  }

  /// True if atomics have made the accesses of an earlier run visible to the one in progress.
  bool areVisible(uint32_t earlier) const {
    std::vector<const char *> open(heard.begin(), heard.end());
    std::set<const char *> seen(heard);
    while (!open.empty()) {
      const Link &link = links.at(open.back());
      open.pop_back();
      if (link.runs.count(earlier))
        return true;
      for (const char *before : link.before)
        if (seen.insert(before).second)
          open.push_back(before);
    }
    return false;
  }

private:
  /// An atomic: the runs that used it, and the atomics through which they had learned of others'
  /// accesses.
  struct Link {
    std::set<uint32_t> runs;
    std::set<const char *> before;
  };
  std::map<const char *, Link> links;
  std::set<const char *> heard; ///< atomics that the run in progress has used
};

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

  /// An access to memory `number`, by a thread or its asynchronous copies `who`. `value`: the bytes
  /// that are written, or null.
  void access(int number, const ThreadAt &by, uint32_t who, const char *address, int32_t what,
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
