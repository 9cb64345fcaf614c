/// Order of the threads of a checked launch, and errors in it.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>

#include "cpu/Mbarrier.h"
#include "check/runtime/CheckedLaunch.h"
#include "fairlead/CheckCpu.h"

namespace fairlead::cpu::check {
namespace {

constexpr int kBarriers = 16; ///< of a block

const Mbarrier &stateOf(const void *mbarrier) { return *static_cast<const Mbarrier *>(mbarrier); }

} // namespace

void CheckedLaunch::syncAt(uint32_t thread, const char *address) {
  Clocks::Times &all = locations[address];
  clocks.hear(thread, all);
  clocks.tell(thread, all);
  if (isShared(address))
    return;
  Link &link = links[address];
  link.runs.insert(run);
  link.before.insert(heard.begin(), heard.end());
  heard.insert(address);
}

void CheckedLaunch::order(void *site, uint32_t thread, int32_t what, void *address, int64_t number,
                          void *barrier) {
  if (what == kFairleadCheckIssue) {
    settle();
    issued = {site, thread};
    follows = number & kFairleadCheckIssueValues;
    if (checksSync() && number & kFairleadCheckIssueProduct && fenced.insert(thread).second)
      badSync({issued}, "a product without a fence of its registers before",
              "cute.nvgpu.warpgroup.fence() has to be before the first product.");
    return;
  }
  beginOrder();
  const auto *place = static_cast<const char *>(address);
  const auto groups = static_cast<uint32_t>(number);
  switch (what) {
  case kFairleadCheckCommit:
    return clocks.commit(thread);
  case kFairleadCheckWaitCopies:
    return clocks.waitForCopies(thread, static_cast<size_t>(number));
  case kFairleadCheckFence:
    fenceMbarriers(thread);
    return clocks.fence(thread);
  case kFairleadCheckFenceMbarriers:
    return fenceMbarriers(thread);
  case kFairleadCheckCommitStores:
    return clocks.commitStores(thread);
  case kFairleadCheckWaitStores:
    return clocks.waitForStores(thread, groups);
  case kFairleadCheckCommitProducts:
    return clocks.commitProducts(thread);
  case kFairleadCheckWaitProducts:
    return clocks.waitForProducts(thread, groups);
  case kFairleadCheckFenceProducts:
    fenced.insert(thread);
    return;
  case kFairleadCheckInit:
    if (!number)
      return useMbarrier(site, thread, address, "waits at");
    mbarriers[address] = {{site, thread}, clocks.now(thread)};
    notFenced.insert(address);
    return;
  case kFairleadCheckArrive:
    arrive(site, thread, address, number);
    [[fallthrough]];
  case kFairleadCheckCopiesReach:
    return clocks.tell(thread, phases[place].of[stateOf(address).phase],
                       what == kFairleadCheckCopiesReach);
  case kFairleadCheckPassed:
    return clocks.hear(thread, phases[place].of[number & 1]);
  case kFairleadCheckBox:
    return copyBox(site, thread, static_cast<char *>(address), number, barrier);
  case kFairleadCheckBoxes:
    return copyBoxes(site, thread, static_cast<char *>(address), number,
                     static_cast<char *>(barrier));
  case kFairleadCheckProduct:
    return productWrites(site, thread, static_cast<char *>(address), number);
  case kFairleadCheckRegisters:
    return useRegisters(site, thread, place, number);
  default:
    return;
  }
}

void CheckedLaunch::meet(const uint32_t *threads, size_t number) {
  beginOrder();
  if (blocks == 1)
    return clocks.meet(threads, number);
  clocks.meet(numbersOf(threads, number).data(), number);
}

void CheckedLaunch::together(int32_t first) {
  if (first < 0 && blocks > 1) {
    beginOrder();
    std::vector<uint32_t> mine(blockThreads);
    std::iota(mine.begin(), mine.end(), numbered(0));
    return clocks.meet(mine.data(), mine.size());
  }
  if (first < 0) {
    // Agents must know the writer of their data, even across a barrier.
    if (launch.flags & kFairleadLaunchAgents)
      takeAllApart();
    interval.clear();
    steps.meet();
    std::fill(singles.begin(), singles.end(), Hull());
    if (std::exchange(active, false))
      clocks.meetAll();
    return;
  }
  beginOrder();
  constexpr size_t kLanes = 32;
  uint32_t lanes[kLanes];
  size_t number = std::min(kLanes, blockThreads - static_cast<size_t>(first));
  for (size_t lane = 0; lane < number; ++lane)
    lanes[lane] = numbered(static_cast<uint32_t>(first + lane));
  clocks.meet(lanes, number);
}

void CheckedLaunch::arriveAtBarrier(const BarrierThread &thread) {
  beginOrder();
  const int barrier = barrierHere(thread.barrier & (kBarriers - 1));
  clocks.tell(numbered(thread.waiting.thread), barriers[barrier]);
  if (!checksSync() || !thread.waiting.site)
    return;
  checkNumber(thread);
  lastArrivals[barrier] = {at(thread.waiting), thread.threads};
}

void CheckedLaunch::leaveBarrier(const std::vector<BarrierThread> &threads, size_t arrived,
                                 size_t expected) {
  const int barrier = barrierHere(threads.front().barrier & (kBarriers - 1));
  if (checksSync() && threads.front().waiting.site)
    checkBarrier(barrier, threads, arrived, expected);
  meetAt(barrier, threads);
}

void CheckedLaunch::meetAt(int barrier, const std::vector<BarrierThread> &threads) {
  beginOrder();
  std::vector<uint32_t> numbers;
  for (const BarrierThread &thread : threads)
    numbers.push_back(numbered(thread.waiting.thread));
  auto arrived = barriers.find(barrier);
  clocks.meet(numbers.data(), numbers.size(),
              arrived == barriers.end() ? nullptr : &arrived->second);
  if (arrived != barriers.end())
    barriers.erase(arrived);
}

//===--- copies and products -------------------------------------------------------------------===

void CheckedLaunch::copyBox(void *site, uint32_t thread, char *address, int64_t bytes,
                            void *mbarrier) {
  initialised.set(address, static_cast<size_t>(bytes));
  constexpr int64_t kMostBytes = 0x8000;
  for (int64_t at = 0; at < bytes; at += kMostBytes)
    access(site, thread, address + at,
           kFairleadCheckCopy | static_cast<int32_t>(std::min(bytes - at, kMostBytes)) << 8, 0, 0);
  if (!mbarrier)
    return;
  useMbarrier(site, thread, mbarrier, "copies to");
  needFence(site, thread, mbarrier);
  clocks.tellOfAgent(thread,
                     phases[static_cast<const char *>(mbarrier)].of[stateOf(mbarrier).phase]);
}

void CheckedLaunch::copyBoxes(void *site, uint32_t thread, char *address, int64_t bytesAndBlocks,
                              char *mbarrier) {
  constexpr int kBytes = 32;
  const int64_t bytes = bytesAndBlocks & 0xffffffff, mask = bytesAndBlocks >> kBytes;
  const size_t ownRank = thread / threadsApart;
  for (size_t rank = 0; rank < blocks; ++rank)
    if (mask >> rank & 1) {
      const ptrdiff_t away = (static_cast<ptrdiff_t>(rank) - static_cast<ptrdiff_t>(ownRank)) *
                             static_cast<ptrdiff_t>(stride);
      copyBox(site, thread, address + away, bytes, mbarrier + away);
    }
}

void CheckedLaunch::readByProduct(const char *address, size_t bytes) {
  if (issued.site)
    readByAgent(issued.site, issued.thread, clocks.productsOf(issued.thread),
                clocks.openProducts(issued.thread), address, bytes);
}

void CheckedLaunch::readByStore(const char *address, size_t bytes) {
  if (issued.site)
    readByAgent(issued.site, issued.thread, clocks.storesOf(issued.thread),
                clocks.openStores(issued.thread), address, bytes);
}

void CheckedLaunch::storeValues(const char *address, size_t bytes) {
  if (follows && issued.site && initialised.lacks(address, bytes))
    uninitialised(issued.site, static_cast<int32_t>(issued.thread));
}

void CheckedLaunch::productWrites(void *site, uint32_t thread, char *address, int64_t bytes) {
  auto &mine = registers[thread];
  const uint32_t group = clocks.openProducts(thread);
  const char *end = address + bytes;
  // Neighbours of one product are one piece.
  auto next = mine.upper_bound(address);
  if (next != mine.begin()) {
    auto &[begin, last] = *std::prev(next);
    if (last.end >= address && last.site == site) {
      last.group = group;
      last.end = std::max(last.end, end);
      return;
    }
  }
  mine[address] = {end, group, site};
}

void CheckedLaunch::useRegisters(void *site, uint32_t thread, const char *address, int64_t bytes) {
  auto &mine = registers[thread];
  auto next = mine.lower_bound(address + bytes);
  if (next == mine.begin())
    return;
  auto piece = std::prev(next);
  if (piece->second.end <= address)
    return;
  if (piece->second.group <= clocks.endedProducts(thread)) {
    mine.erase(piece);
    return;
  }
  findings.add("sync", piece->second.site, site, blockNumber(), [&](Finding &finding) {
    finding.tensor = "registers";
    finding.message = "registers of a product that may not be done yet";
    finding.accesses.push_back(accessBy("product", piece->second.site, thread, run));
    finding.accesses.push_back(accessBy("access", site, thread, run));
    finding.hint = "The warpgroup has to wait before: cute.nvgpu.warpgroup.wait_group(0).";
  });
}

//===--- errors of waiting ---------------------------------------------------------------------===

void CheckedLaunch::badSync(const std::vector<Waiting> &at, const std::string &message,
                            const std::string &hint) {
  settle();
  findings.add("sync", at.empty() ? nullptr : at.front().site, at.size() > 1 ? at[1].site : nullptr,
               blockNumber(), [&](Finding &finding) {
                 finding.message = message;
                 finding.hint = hint;
                 for (const Waiting &each : at)
                   finding.accesses.push_back(accessBy("waits", each.site, each.thread, run));
               });
}

/// Reports uses of a barrier that no GPU guarantees, before threads leave it.
void CheckedLaunch::checkBarrier(int barrier, const std::vector<BarrierThread> &threads,
                                 size_t arrived, size_t expected) {
  const BarrierThread &first = threads.front();
  const std::string name = "barrier " + std::to_string(first.barrier) + " for " +
                           std::to_string(first.threads) + " threads";
  for (const BarrierThread &thread : threads)
    checkNumber(thread);
  const auto unequal = [&](const Waiting &other, int32_t number) {
    badSync({at(first.waiting), other},
            "barrier " + std::to_string(first.barrier & (kBarriers - 1)) + " for " +
                std::to_string(first.threads) + " threads and for " + std::to_string(number),
            "All that meet at a barrier have to say the same number.");
  };
  for (const BarrierThread &thread : threads)
    if (thread.threads != first.threads)
      return unequal(at(thread.waiting), thread.threads);
  if (auto last = lastArrivals.extract(barrier);
      last && last.mapped().threads && last.mapped().threads != first.threads)
    return unequal(last.mapped().at, last.mapped().threads);
  // A barrier of all threads excludes those that have ended: PTX says so for `exit`.
  if (first.threads <= 0)
    return;
  if (first.threads % 32)
    badSync({at(first.waiting)}, name, "The number has to be a multiple of 32: whole warps come.");
  else if (arrived > expected)
    badSync({at(first.waiting)}, name + ", to which " + std::to_string(arrived) + " come",
            "The first would go on without the others, who wait for the next round.");
}

void CheckedLaunch::checkNumber(const BarrierThread &thread) {
  if (thread.barrier < 0 || thread.barrier >= kBarriers)
    badSync({at(thread.waiting)}, "barrier " + std::to_string(thread.barrier),
            "A block has " + std::to_string(kBarriers) + " barriers, numbered from 0.");
}

void CheckedLaunch::readAbsentLane(const WaitingThread &reader, const std::string &what) {
  if (checksSync() && reader.site)
    badSync({at(reader)}, what + " that reads from a lane which takes no part in it",
            "All lanes that others read from have to come to it, and to be in its mask.");
}

/// Names a thread for each line at which threads are deadlocked.
void CheckedLaunch::deadlock(const std::vector<WaitingThread> &waiting, const std::string &text) {
  if (!checksSync())
    return;
  std::vector<Waiting> places;
  std::string hint;
  for (const WaitingThread &thread : waiting) {
    if (!thread.site || std::any_of(places.begin(), places.end(), [&](const Waiting &place) {
          return place.site == thread.site;
        }))
      continue;
    places.push_back(at(thread));
    if (hint.empty() && thread.mbarrier)
      hint = missingOf(thread.mbarrier);
  }
  if (hint.empty())
    hint = "Threads that meet have to come to one and the same line, as many as it waits for.";
  badSync(places, "threads wait for each other and none can go on: " + text, hint);
}

void CheckedLaunch::useMbarrier(void *site, uint32_t thread, const void *mbarrier,
                                const char *what) {
  if (!checksSync() || !isShared(static_cast<const char *>(mbarrier)))
    return;
  auto [entry, fresh] = mbarriers.try_emplace(mbarrier, Begun{{site, thread}, 0});
  const Begun &begun = entry->second;
  if (fresh)
    return badSync({{site, thread}},
                   std::string("a thread ") + what + " an mbarrier that nothing has initialised",
                   "mbarrier_init by one thread has to come before, then a barrier of the block.");
  if (clocks.isBefore(begun.at.thread, begun.when, thread))
    return;
  findings.add("sync", begun.at.site, site, blockNumber(), [&](Finding &finding) {
    finding.message = std::string("a thread ") + what +
                      " an mbarrier that may not be initialised yet: nothing orders that";
    finding.hint = "After mbarrier_init, a barrier of the block has to come.";
    finding.accesses.push_back(accessBy("write", begun.at.site, begun.at.thread, run));
    finding.accesses.push_back(accessBy("access", site, thread, run));
  });
}

void CheckedLaunch::fenceMbarriers(uint32_t thread) {
  std::erase_if(notFenced, [&](const void *mbarrier) {
    Begun &begun = mbarriers.find(mbarrier)->second;
    begun.fenced = clocks.isBefore(begun.at.thread, begun.when, thread);
    return begun.fenced;
  });
}

/// Copies arrive at an mbarrier through another proxy than the one that initialised it.
void CheckedLaunch::needFence(void *site, uint32_t thread, const void *mbarrier) {
  auto entry = mbarriers.find(mbarrier);
  if (!checksSync() || entry == mbarriers.end() || entry->second.fenced || !entry->second.when)
    return;
  const Begun &begun = entry->second;
  findings.add("sync", begun.at.site, site, blockNumber(), [&](Finding &finding) {
    finding.message = "a copy signals an mbarrier whose initialization it may not see: no fence is "
                      "between";
    finding.hint = std::string("The thread that initializes it has to call ") +
                   Site::parse(begun.at.site)
                       .inLanguage("cute.arch.mbarrier_init_fence()", "fenceMbarriers()") +
                   " next, before the barrier of the block.";
    finding.accesses.push_back(accessBy("write", begun.at.site, begun.at.thread, run));
    finding.accesses.push_back(accessBy("access", site, thread, run));
  });
}

void CheckedLaunch::arrive(void *site, uint32_t thread, const void *mbarrier, int64_t number) {
  if (!checksSync() || !isShared(static_cast<const char *>(mbarrier)))
    return;
  useMbarrier(site, thread, mbarrier, "arrives at");
  const Mbarrier &state = stateOf(mbarrier);
  if (static_cast<int64_t>(state.pending) < number)
    badSync({{site, thread}},
            "more arrivals at an mbarrier than the " + std::to_string(state.expected) +
                " that each of its phases waits for",
            "mbarrier_init has to be told how many arrivals a phase has.");
}

std::string CheckedLaunch::missingOf(const void *mbarrier) const {
  if (!isShared(static_cast<const char *>(mbarrier)))
    return "";
  if (!mbarriers.count(mbarrier))
    return "Nothing has initialised the mbarrier.";
  const Mbarrier &state = stateOf(mbarrier);
  std::string text = "Its open phase, of parity " + std::to_string(state.phase) + ", lacks " +
                     std::to_string(state.pending) + " of " + std::to_string(state.expected) +
                     " arrivals";
  if (state.bytes)
    text += " and " + std::to_string(static_cast<int64_t>(state.bytes)) + " bytes of copies";
  return text + ".";
}

} // namespace fairlead::cpu::check
