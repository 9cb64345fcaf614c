#include "check/runtime/MbarrierUse.h"

#include "runtime/cpu/Mbarrier.h"

namespace fairlead::check {
namespace {

const cpu::Mbarrier &stateOf(const void *mbarrier) {
  return *static_cast<const cpu::Mbarrier *>(mbarrier);
}

} // namespace

void MbarrierUse::initialise(const ThreadAt &by, const void *mbarrier) {
  mbarriers[mbarrier] = {by, clocks.now(by.thread)};
  notFenced.insert(mbarrier);
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
                     std::string("The thread that initializes it has to call ") +
                         runtime::Site::parse(first.site)
                             .inLanguage("cute.arch.mbarrier_init_fence()", "fenceMbarriers()") +
                         " next, before the barrier of the block.");
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
