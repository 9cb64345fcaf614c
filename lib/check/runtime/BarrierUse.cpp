#include "check/runtime/BarrierUse.h"

#include <string>

#include "fairlead/TargetInfo.h"
#include "runtime/cpu/Mbarrier.h"

namespace fairlead::check {

void BarrierUse::checkNumber(const cpu::BarrierThread &thread) {
  if (thread.barrier < 0 || thread.barrier >= kBarriersPerBlock)
    reporter.misuse({at(thread)}, "barrier " + std::to_string(thread.barrier),
                    "A block has " + std::to_string(kBarriersPerBlock) +
                        " barriers, numbered from 0.");
}

void BarrierUse::arrive(const cpu::BarrierThread &thread) {
  checkNumber(thread);
  lastArrivals[RunningBlock::barrierOf(thread.barrier)] = {at(thread), thread.threads};
}

void BarrierUse::leave(const std::vector<cpu::BarrierThread> &threads, size_t arrived,
                       size_t expected) {
  const cpu::BarrierThread &first = threads.front();
  for (const cpu::BarrierThread &thread : threads)
    checkNumber(thread);
  const std::string count = " for " + std::to_string(first.threads) + " threads";
  const auto unequal = [&](const ThreadAt &other, int32_t number) {
    reporter.misuse({at(first), other},
                    "barrier " + std::to_string(first.barrier & (kBarriersPerBlock - 1)) + count +
                        " and for " + std::to_string(number),
                    "All that meet at a barrier have to say the same number.");
  };
  for (const cpu::BarrierThread &thread : threads)
    if (thread.threads != first.threads)
      return unequal(at(thread), thread.threads);
  if (auto last = lastArrivals.extract(RunningBlock::barrierOf(first.barrier));
      last && last.mapped().threads && last.mapped().threads != first.threads)
    return unequal(last.mapped().by, last.mapped().threads);
  // A barrier of all threads excludes threads that have ended: PTX says so for `exit`.
  if (first.threads <= 0)
    return;
  const std::string name = "barrier " + std::to_string(first.barrier) + count;
  if (first.threads % 32)
    reporter.misuse({at(first)}, name, "The number has to be a multiple of 32: whole warps come.");
  else if (arrived > expected)
    reporter.misuse({at(first)}, name + ", to which " + std::to_string(arrived) + " come",
                    "The first would go on without the others, who wait for the next round.");
}

namespace {

const cpu::Mbarrier &stateOf(const void *mbarrier) {
  return *static_cast<const cpu::Mbarrier *>(mbarrier);
}

} // namespace

void MbarrierUse::initialise(const ThreadAt &by, const void *mbarrier) {
  auto earlier = mbarriers.find(mbarrier);
  if (earlier != mbarriers.end() && isChecked(mbarrier))
    needOrder(by, earlier->second);
  mbarriers[mbarrier] = {by, clocks.now(by.thread)};
  notFenced.insert(mbarrier);
}

/// Lanes of a warp initialise it together. Other threads would reset arrivals that have come.
void MbarrierUse::needOrder(const ThreadAt &by, const Begun &begun) {
  if (by.thread / TargetInfo::kWarpThreads == begun.by.thread / TargetInfo::kWarpThreads ||
      clocks.isBefore(begun.by.thread, begun.when, by.thread))
    return;
  reporter.unordered({"write", begun.by}, {"write", by}, "",
                     "two warps initialise one mbarrier: nothing orders that",
                     "One thread has to initialise it: another initialisation forgets arrivals.");
}

void MbarrierUse::use(const ThreadAt &by, const void *mbarrier, const char *verb) {
  if (!isChecked(mbarrier))
    return;
  auto [entry, fresh] = mbarriers.try_emplace(mbarrier, Begun{by, 0});
  const Begun &begun = entry->second;
  if (fresh)
    return reporter.misuse(
        {by}, std::string("a thread ") + verb + " an mbarrier that nothing has initialised",
        "mbarrier_init by one thread has to come before, then a barrier of the block.");
  if (clocks.isBefore(begun.by.thread, begun.when, by.thread))
    return;
  reporter.unordered({"write", begun.by}, {"access", by}, "",
                     std::string("a thread ") + verb +
                         " an mbarrier that may not be initialised yet: nothing orders that",
                     "After mbarrier_init, a barrier of the block has to come.");
}

void MbarrierUse::fence(uint32_t thread) {
  std::erase_if(notFenced, [&](const void *mbarrier) {
    Begun &begun = mbarriers.find(mbarrier)->second;
    begun.fenced = clocks.isBefore(begun.by.thread, begun.when, thread);
    return begun.fenced;
  });
}

void MbarrierUse::copyTo(const ThreadAt &by, const void *mbarrier) {
  use(by, mbarrier, "copies to");
  needFence(by, mbarrier);
}

/// Copies arrive at an mbarrier through another proxy than the one that initialised it.
void MbarrierUse::needFence(const ThreadAt &by, const void *mbarrier) {
  auto entry = mbarriers.find(mbarrier);
  if (!reports || entry == mbarriers.end() || entry->second.fenced || !entry->second.when)
    return;
  const ThreadAt &first = entry->second.by;
  reporter.unordered({"write", first}, {"access", by}, "",
                     "a copy signals an mbarrier whose initialization it may not see: no fence is "
                     "between",
                     "The thread that initializes it has to call "
                     "cute.arch.mbarrier_init_fence() next, before the barrier of the block.");
}

void MbarrierUse::arrive(const ThreadAt &by, const void *mbarrier, int64_t number) {
  if (!isChecked(mbarrier))
    return;
  use(by, mbarrier, "arrives at");
  const cpu::Mbarrier &state = stateOf(mbarrier);
  if (static_cast<int64_t>(state.pending) < number)
    reporter.misuse({by},
                    "more arrivals at an mbarrier than the " + std::to_string(state.expected) +
                        " that each of its phases waits for",
                    "mbarrier_init has to be told how many arrivals a phase has.");
}

std::string MbarrierUse::missing(const void *mbarrier) const {
  if (!memory.isShared(static_cast<const char *>(mbarrier)))
    return "";
  if (!mbarriers.count(mbarrier))
    return "Nothing has initialised the mbarrier.";
  const cpu::Mbarrier &state = stateOf(mbarrier);
  std::string text = "Its open phase, of parity " + std::to_string(state.phase) + ", lacks " +
                     std::to_string(state.pending) + " of " + std::to_string(state.expected) +
                     " arrivals";
  if (state.bytes)
    text += " and " + std::to_string(static_cast<int64_t>(state.bytes)) + " bytes of copies";
  return text + ".";
}

} // namespace fairlead::check
