#include "check/runtime/Clocks.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fairlead::check {

void Clocks::begin(size_t threads) {
  numThreads = threads;
  time.assign(2 * threads, 1);
  waited.assign(threads, 0);
  observed.assign(threads, std::make_shared<Times>(threads, 0));
  groups.clear();
  arriving.clear();
  stores.assign(threads, {});
  products.assign(threads, {});
  tensorProducts.assign((threads + kWarp - 1) / kWarp, 1);
  if (everyone.size() != threads) {
    everyone.resize(threads);
    std::iota(everyone.begin(), everyone.end(), 0);
  }
}

uint32_t Clocks::copiesTo(uint32_t thread, const void *mbarrier) {
  const auto entry = std::find_if(arriving.begin(), arriving.end(), [&](const Arriving &each) {
    return each.thread == thread && each.mbarrier == mbarrier;
  });
  const auto owner = firstArriving() + static_cast<uint32_t>(entry - arriving.begin());
  if (entry == arriving.end()) {
    if (owner > std::numeric_limits<uint16_t>::max()) // of Epoch::who
      return agentOf(thread);
    arriving.push_back({thread, mbarrier});
  }
  return owner;
}

void Clocks::raise(Times &times, size_t who, uint32_t when) {
  if (times.size() <= who)
    times.resize(who + 1, 0);
  times[who] = std::max(times[who], when);
}

bool Clocks::hasWaited(uint32_t who, uint32_t when, uint32_t thread) const {
  return (who == agentOf(thread) && when <= waited[thread]) ||
         (who == storesOf(thread) && when <= stores[thread].waited) ||
         (who == productsOf(thread) && when <= products[thread].waited);
}

void Clocks::tellWaited(uint32_t thread, Times &all) const {
  if (waited[thread])
    raise(all, agentOf(thread), waited[thread]);
  if (stores[thread].waited)
    raise(all, storesOf(thread), stores[thread].waited);
  if (products[thread].waited)
    raise(all, productsOf(thread), products[thread].waited);
}

void Clocks::join(Times &into, const Times &from) {
  if (into.size() < from.size())
    into.resize(from.size(), 0);
  for (size_t who = 0; who < from.size(); ++who)
    into[who] = std::max(into[who], from[who]);
}

void Clocks::meet(const uint32_t *threads, size_t number, const Times *more) {
  if (number == 0)
    return;
  Shared all = observed[threads[0]];
  // Threads that met before, without any other, can go on sharing their times.
  size_t sharing = 0;
  for (size_t i = 0; i < number; ++i)
    sharing += observed[threads[i]] == all;
  if (sharing != number || all.use_count() != static_cast<long>(number) + 1) {
    const Times *last = all.get();
    all = std::make_shared<Times>(*all);
    for (size_t i = 1; i < number; ++i)
      if (observed[threads[i]].get() != last) {
        last = observed[threads[i]].get();
        join(*all, *last);
      }
  }
  if (more)
    join(*all, *more);
  for (size_t i = 0; i < number; ++i) {
    uint32_t thread = threads[i];
    (*all)[thread] = time[thread]++;
    tellWaited(thread, *all);
    observed[thread] = all;
  }
}

void Clocks::meetAll() { meet(everyone.data(), everyone.size()); }

void Clocks::tell(uint32_t thread, Times &all, bool copies) {
  join(all, *observed[thread]);
  tellWaited(thread, all);
  if (copies)
    raise(all, agentOf(thread), time[agentOf(thread)]++);
  raise(all, thread, time[thread]++);
}

void Clocks::tellOfCopy(uint32_t thread, uint32_t copies, Times &all) {
  join(all, *observed[thread]);
  tellWaited(thread, all);
  // The thread's earlier accesses come before the copy's writes.
  raise(all, thread, time[thread]++);
  raise(all, copies, timeOf(copies)++);
}

void Clocks::tellOfTensorProducts(uint32_t thread, Times &all) {
  tell(thread, all);
  raise(all, tensorProductsOf(thread), tensorProducts[thread / kWarp]++);
}

void Clocks::fence(uint32_t thread) {
  auto mine = std::make_shared<Times>(*observed[thread]);
  for (uint32_t who = 0; who < numThreads; ++who)
    if ((*mine)[who])
      raise(*mine, number(2) + who, (*mine)[who]);
  raise(*mine, number(2) + thread, time[thread]++);
  observed[thread] = std::move(mine);
}

void Clocks::hear(uint32_t thread, const Times &all) {
  if (all.empty())
    return;
  auto mine = std::make_shared<Times>(*observed[thread]);
  join(*mine, all);
  observed[thread] = std::move(mine);
}

void Clocks::commit(uint32_t thread) { groups[thread].push_back(time[agentOf(thread)]++); }

void Clocks::waitForCopies(uint32_t thread, size_t but) {
  const std::vector<uint32_t> &ended = groups[thread];
  if (ended.size() > but)
    waited[thread] = std::max(waited[thread], ended[ended.size() - 1 - but]);
}

} // namespace fairlead::check
