/// Events of a checked launch that order threads.
#include <algorithm>

#include "check/runtime/CheckedLaunch.h"
#include "fairlead/AsyncCpu.h"
#include "runtime/cpu/Mbarrier.h"

namespace fairlead::check {

//===--- as kernels tell -----------------------------------------------------------------------===

void CheckedLaunch::order(const ThreadAt &given, int32_t what, void *address, int64_t number,
                          void *barrier) {
  const ThreadAt at = inRun(given);
  if (what == kFairleadCheckIssue)
    return issue(at, number);
  if (what == kFairleadCheckOperand) {
    constexpr int kOperand = 32;
    const int64_t bytes = number & 0xffffffff;
    operands[number >> kOperand & 1] = {at.site, static_cast<char *>(address), bytes};
    return;
  }
  beginOrder();
  orderThreads(at, what, static_cast<char *>(address), number, static_cast<char *>(barrier));
}

void CheckedLaunch::issue(const ThreadAt &at, int64_t kind) {
  settle();
  issued = at;
  followsValues = kind & kFairleadCheckIssueValues;
  followsTensors = kind & kFairleadCheckIssueOrder;
  if (checksSync() && kind & kFairleadCheckIssueProduct)
    registers.issue(at);
}

void CheckedLaunch::orderThreads(const ThreadAt &at, int32_t what, char *address, int64_t number,
                                 char *barrier) {
  Clocks &clocks = threads.clocks;
  const uint32_t thread = at.thread;
  const auto groups = static_cast<uint32_t>(number);
  switch (what) {
  case kFairleadCheckCommit:
    return clocks.commit(thread);
  case kFairleadCheckWaitCopies:
    return clocks.waitForCopies(thread, static_cast<size_t>(number));
  case kFairleadCheckFence:
    mbarriers.fence(thread);
    return clocks.fence(thread);
  case kFairleadCheckFenceMbarriers:
    return mbarriers.fence(thread);
  case kFairleadCheckCommitStores:
    return clocks.commitStores(thread);
  case kFairleadCheckWaitStores:
    return clocks.waitForStores(thread, groups);
  case kFairleadCheckCommitProducts:
    return clocks.commitProducts(thread);
  case kFairleadCheckWaitProducts:
    return clocks.waitForProducts(thread, groups);
  case kFairleadCheckFenceProducts:
    return registers.fence(thread);
  case kFairleadCheckProduct:
    return registers.write(at, address, number);
  case kFairleadCheckRegisters:
    return registers.use(at, address, number);
  case kFairleadCheckBox:
    return copyBox(at, address, number, barrier);
  case kFairleadCheckBoxes:
    return copyBoxes(at, address, number, barrier);
  case kFairleadCheckArriveInBlocks:
    return arriveInBlocks(at, address, number);
  case kFairleadCheckTensorCommit:
    return commitTensorProducts(at, address, number);
  case kFairleadCheckTensorStored:
    return tensorOrder.waitForStores(thread);
  case kFairleadCheckTensorReserve:
    return tensorOrder.reserve(at, block.rankOf(thread));
  case kFairleadCheckTensorFree:
    return freeColumns(at, number);
  default:
    return orderMbarrier(at, what, address, number);
  }
}

static int openParity(const void *mbarrier) {
  return static_cast<int>(static_cast<const cpu::Mbarrier *>(mbarrier)->phase);
}

void CheckedLaunch::orderMbarrier(const ThreadAt &at, int32_t what, const char *mbarrier,
                                  int64_t number) {
  switch (what) {
  case kFairleadCheckInit:
    if (number)
      return mbarriers.initialise(at, mbarrier);
    return mbarriers.use(at, mbarrier, "waits at");
  case kFairleadCheckArrive:
    mbarriers.arrive(at, mbarrier, number);
    arriveElsewhere(at, mbarrier, at.thread, threads.clocks.now(at.thread));
    return threads.arriveAtPhase(at.thread, mbarrier, openParity(mbarrier), false);
  case kFairleadCheckCopiesReach:
    return threads.arriveAtPhase(at.thread, mbarrier, openParity(mbarrier), true);
  case kFairleadCheckPassed:
    return threads.passPhase(at.thread, mbarrier, static_cast<int>(number & 1));
  default:
    return;
  }
}

void CheckedLaunch::copyBox(const ThreadAt &at, char *address, int64_t bytes,
                            const void *mbarrier) {
  if (!address) // is reported
    bytes = 0;
  initialised.set(address, static_cast<size_t>(bytes));
  const uint32_t copies =
      mbarrier ? threads.clocks.copiesTo(at.thread, mbarrier) : threads.clocks.agentOf(at.thread);
  constexpr int64_t kMostBytes = 0x8000;
  for (int64_t done = 0; done < bytes; done += kMostBytes) {
    const auto part = static_cast<int32_t>(std::min(bytes - done, kMostBytes));
    accessInRun(at, copies, address + done, kFairleadCheckCopy | part << 8, {0, 0});
  }
  if (!mbarrier)
    return;
  mbarriers.copyTo(at, mbarrier);
  threads.copyArrives(at.thread, copies, mbarrier, openParity(mbarrier));
}

ptrdiff_t CheckedLaunch::distanceTo(size_t rank, uint32_t thread) const {
  return (static_cast<ptrdiff_t>(rank) - static_cast<ptrdiff_t>(block.rankOf(thread))) *
         static_cast<ptrdiff_t>(block.sharedStride());
}

void CheckedLaunch::arriveElsewhere(const ThreadAt &at, const char *mbarrier, uint32_t who,
                                    uint32_t when) {
  if (!block.isCluster() || !memory.isShared(mbarrier))
    return;
  const auto offset = static_cast<size_t>(mbarrier - memory.sharedBegin());
  if (offset / block.sharedStride() != block.rankOf(at.thread))
    races.arrive(at, who, when, mbarrier);
}

void CheckedLaunch::arriveInBlocks(const ThreadAt &at, const char *mbarrier, int64_t blocks) {
  if (!block.isCluster())
    return orderMbarrier(at, kFairleadCheckArrive, mbarrier, 1);
  for (size_t rank = 0; rank < block.numBlocks(); ++rank)
    if (blocks >> rank & 1)
      orderMbarrier(at, kFairleadCheckArrive, mbarrier + distanceTo(rank, at.thread), 1);
}

void CheckedLaunch::commitTensorProducts(const ThreadAt &at, const char *mbarrier, int64_t blocks) {
  tensorOrder.commit(at.thread);
  const size_t rankOfThread = block.rankOf(at.thread);
  if (!blocks || !block.isCluster())
    blocks = int64_t{1} << rankOfThread;
  for (size_t rank = 0; rank < block.numBlocks(); ++rank)
    if (blocks >> rank & 1) {
      const char *there = mbarrier + distanceTo(rank, at.thread);
      mbarriers.arrive(at, there, 1);
      if (hasAgents())
        arriveElsewhere(at, there, threads.clocks.tensorProductsOf(at.thread),
                        threads.clocks.tensorProductsNow(at.thread));
      threads.tensorProductsArrive(at.thread, there, openParity(there));
    }
}

void CheckedLaunch::freeColumns(const ThreadAt &at, int64_t columns) {
  constexpr uint32_t kAllLanes = 0xff, kColumnBits = 0x1ff;
  constexpr int kNumber = 32;
  tensorOrder.use(at, {cpu::TensorCells::Use::Free, block.rankOf(at.thread), kAllLanes,
                       static_cast<uint32_t>(columns) & kColumnBits,
                       static_cast<uint32_t>(columns >> kNumber) & 0x3ff});
}

void CheckedLaunch::copyBoxes(const ThreadAt &at, char *address, int64_t bytesAndBlocks,
                              const char *mbarrier) {
  constexpr int kBytes = 32;
  const int64_t bytes = bytesAndBlocks & 0xffffffff;
  int64_t mask = bytesAndBlocks >> kBytes;
  const bool ofPairs = mask & kFairleadBlocksOfPairs;
  if (mask == kFairleadBlocksOfPairs)
    mask |= int64_t{1} << block.rankOf(at.thread);
  auto distance = [&](size_t rank) { return distanceTo(rank, at.thread); };
  for (size_t rank = 0; rank < block.numBlocks(); ++rank)
    if (mask >> rank & 1)
      copyBox(at, address ? address + distance(rank) : nullptr, bytes,
              mbarrier + distance(ofPairs ? rank & ~size_t{1} : rank));
}

void CheckedLaunch::together(int32_t first) {
  if (first >= 0) {
    beginOrder();
    return threads.meet(block.warpHere(static_cast<uint32_t>(first)));
  }
  if (block.isCluster()) {
    beginOrder();
    return threads.meet(block.threadsHere());
  }
  // Agents must know the writer of their data, even across a barrier.
  if (hasAgents() && spans.any())
    beginOrder();
  spans.meet();
  threads.meetAll();
}

//===--- as the launch tells -------------------------------------------------------------------===

void CheckedLaunch::meet(const std::vector<cpu::WaitingThread> &lanes,
                         const cpu::WarpMeeting &meeting) {
  beginOrder();
  if (checksSync() && lanes.front().site)
    divergence.meet(lanes, meeting);
  std::vector<uint32_t> all(lanes.size());
  std::transform(lanes.begin(), lanes.end(), all.begin(),
                 [&](const cpu::WaitingThread &lane) { return block.numberOf(lane.thread); });
  threads.meet(all);
}

void CheckedLaunch::readAbsentLane(const cpu::WaitingThread &reader, const std::string &what) {
  if (!checksSync() || !reader.site)
    return;
  settle();
  reporter.misuse({inRun(reader)}, what + " that reads from a lane which takes no part in it",
                  "All lanes that others read from have to come to it, and to be in its mask.");
}

void CheckedLaunch::arriveAtBarrier(const cpu::BarrierThread &thread) {
  beginOrder();
  threads.arriveAtBarrier(block.numberOf(thread.waiting.thread),
                          RunningBlock::barrierOf(thread.barrier));
  if (!checksSync() || !thread.waiting.site)
    return;
  barriers.arrive(thread);
  divergence.arrive(thread);
}

void CheckedLaunch::leaveBarrier(const std::vector<cpu::BarrierThread> &leaving, size_t arrived,
                                 size_t expected) {
  beginOrder();
  if (checksSync() && leaving.front().waiting.site) {
    barriers.leave(leaving, arrived, expected);
    divergence.leave(leaving);
  }
  std::vector<uint32_t> numbers;
  for (const cpu::BarrierThread &thread : leaving)
    numbers.push_back(block.numberOf(thread.waiting.thread));
  threads.leaveBarrier(numbers, RunningBlock::barrierOf(leaving.front().barrier));
}

void CheckedLaunch::arriveAtCluster(uint32_t thread) {
  beginOrder();
  threads.arriveAtCluster(block.numberOf(thread));
}

void CheckedLaunch::passCluster(uint32_t thread) {
  beginOrder();
  threads.passCluster(block.numberOf(thread));
}

/// Names a thread for each line at which threads are deadlocked.
void CheckedLaunch::deadlock(const std::vector<cpu::WaitingThread> &waiting,
                             const std::string &text) {
  if (!checksSync())
    return;
  settle();
  divergence.stop();
  std::vector<ThreadAt> places;
  std::string hint;
  bool asksMemory = false;
  for (const cpu::WaitingThread &thread : waiting) {
    asksMemory |= thread.asksMemory;
    if (!thread.site || std::any_of(places.begin(), places.end(), [&](const ThreadAt &place) {
          return place.site == thread.site;
        }))
      continue;
    places.push_back(inRun(thread));
    if (hint.empty() && thread.mbarrier)
      hint = mbarriers.missing(thread.mbarrier);
  }
  if (asksMemory)
    return reporter.waitsInVain(places, text);
  if (hint.empty())
    hint = "Threads that meet have to come to one and the same line, as many as it waits for." +
           divergence.partingHint(waiting);
  reporter.misuse(places, "threads wait for each other and none can go on: " + text,
                  hint + tensorOrder.notCommitted());
}

} // namespace fairlead::check
