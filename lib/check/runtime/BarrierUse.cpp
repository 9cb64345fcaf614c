#include "check/runtime/BarrierUse.h"

#include <string>

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

} // namespace fairlead::check
