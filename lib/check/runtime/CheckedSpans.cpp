/// Spans of a checked launch: kept as spans while they prove that nothing races, otherwise split
/// into the single accesses that they describe.
#include <algorithm>

#include "check/runtime/CheckedLaunch.h"
#include "fairlead/CheckCpu.h"

namespace fairlead::cpu::check {
namespace {

/// Beyond this number in one interval between barriers, accesses are checked one by one.
constexpr size_t kMostSpans = 64;

bool isAccess(const FairleadCheckSpan &span) { return !(span.what & kFairleadCheckOnlyInside); }

} // namespace

Span CheckedLaunch::spanOf(const FairleadCheckSpan &given, const int64_t *threads,
                           uint32_t thread) {
  Span span;
  span.site = given.site;
  span.first = static_cast<char *>(given.first);
  std::copy(std::begin(given.stride), std::end(given.stride), span.stride);
  std::copy(threads, threads + Span::kThreadDimensions, span.number);
  std::copy(std::begin(given.rounds), std::end(given.rounds),
            span.number + Span::kThreadDimensions);
  span.what = static_cast<int32_t>(given.what);
  span.thread = thread;
  return span;
}

bool CheckedLaunch::takeSpans(const FairleadCheckSpan *given, int32_t number,
                              const int64_t *threads, uint32_t thread) {
  if (threads[0] <= 0 || threads[1] <= 0 || threads[2] <= 0)
    return true;
  // The blocks of a cluster are not at one and the same barrier.
  if (blocks > 1)
    return false;
  const auto count = static_cast<size_t>(number);
  const int32_t own = steps.takeNumber();
  if (steps.isNext(given, count, threads, thread)) {
    // In shared memory all is as in the block before.
    const Steps::Step &step = steps.take();
    const size_t before = interval.size();
    for (size_t i : step.global) {
      Span span = step.spans[i];
      span.moveTo(static_cast<char *>(given[i].first));
      if (!isInside(given[i], span) || (isAccess(given[i]) && !takeSpan(span))) {
        steps.untake();
        interval.resize(before);
        recall();
        steps.stop();
        return false;
      }
    }
    for (size_t i = before; i < interval.size(); ++i)
      log(interval[i]);
    return true;
  }
  recall();
  const size_t before = interval.size();
  Steps::Step step;
  step.number = own;
  bool passed = true;
  for (size_t i = 0; passed && i < count; ++i) {
    Span span = spanOf(given[i], threads, thread);
    const bool some = given[i].rounds[0] > 0 && given[i].rounds[1] > 0;
    // An index that wrapped around is no affine map.
    if (some)
      taken = span.measure() == given[i].last && isInside(given[i], span) &&
              (!isAccess(given[i]) || !seesThreads || takeSpan(span));
    if (taken && some && (given[i].base || memoryAt(span.low) != kSharedMemory))
      step.global.push_back(i);
    step.spans.push_back(span);
  }
  if (!passed) {
    interval.resize(before);
    steps.stop();
    return false;
  }
  for (size_t i = before; i < interval.size(); ++i) {
    log(interval[i]);
    if (memoryAt(interval[i].low) == kSharedMemory)
      step.shared.push_back(interval[i]);
  }
  if (seesThreads)
    steps.add(std::move(step), given, count, threads, thread);
  return true;
}

/// Adds the spans that the interval shares with the previous block's interval.
void CheckedLaunch::recall() {
  steps.recall([&](const Span &span) { interval.push_back(span); });
}

bool CheckedLaunch::isInside(const FairleadCheckSpan &given, const Span &span) const {
  if (!given.base)
    return true;
  const CallTensor *tensor = tensorOf(given.base);
  return !tensor || (span.low >= tensor->begin && span.high <= tensor->end);
}

/// Adds a span to the interval if it cannot race with the interval's spans or with other blocks.
bool CheckedLaunch::takeSpan(const Span &span) {
  const int place = memoryAt(span.low);
  if (place == kNoMemory)
    return true; // not watched
  if (memoryAt(span.high - 1) != place || interval.size() >= kMostSpans)
    return false;
  if (singles[place].meets(span.low, span.high))
    return false;
  if (place == kSharedMemory && copied.meets(span.low, span.high))
    return false;
  if (span.writes() && !span.isAtomic() && !span.isApart())
    return false;
  for (const Span &other : interval) {
    if (span.isSame(other))
      return true;
    if (!span.isApartFrom(other))
      return false;
  }
  if (place != kSharedMemory && racesWithBlocks(span, granules[place - kFirstGlobal]))
    return false;
  interval.push_back(span);
  return true;
}

bool CheckedLaunch::racesWithBlocks(const Span &span, Granules &memory) {
  bool races = false;
  auto conflicts = [&](uint32_t entry) {
    return entry == Granules::kSingle ||
           (entry && logged[entry].run != run && !(span.isAtomic() && spanAt(entry).isAtomic()));
  };
  span.pieces([&](const char *from, const char *to) {
    races = races || !memory.each(from, to, [&](const Granules::Entry &entry) {
      return !conflicts(entry.write) && !(span.writes() && conflicts(entry.read));
    });
  });
  return races;
}

/// Remembers the accesses of a span of global memory.
void CheckedLaunch::log(const Span &span) {
  const int place = memoryAt(span.low);
  if (place < kFirstGlobal)
    return;
  uint32_t site = numberOf(span.site);
  if (shapeOfSite.size() <= site)
    shapeOfSite.resize(site + 1, 0);
  Span shape = span;
  shape.first = nullptr;
  shape.measure();
  uint32_t &known = shapeOfSite[site];
  if (!known || !shapes[known - 1].isSame(shape)) {
    shapes.push_back(shape);
    known = static_cast<uint32_t>(shapes.size());
  }
  if (logged.empty())
    logged.resize(Granules::kSingle + 1);
  const auto entry = static_cast<uint32_t>(logged.size());
  logged.push_back({span.first, known - 1, run});
  span.pieces([&](const char *from, const char *to) {
    granules[place - kFirstGlobal].each(from, to, [&](Granules::Entry &granule) {
      if (span.writes())
        granule.write = entry;
      else if (!granule.read) // later blocks race with the first reader, if with any
        granule.read = entry;
      return true;
    });
  });
}

Span CheckedLaunch::spanAt(uint32_t entry) const {
  Span span = shapes[logged[entry].shape];
  span.first = logged[entry].first;
  span.measure();
  return span;
}

/// Single accesses or other order: this block goes its own way.
void CheckedLaunch::forgetSteps() {
  recall();
  steps.stop();
}

/// Moves the known accesses of these bytes into their cells, before a single access of them.
void CheckedLaunch::takeApart(int place, const char *from, const char *to) {
  if (place == kSharedMemory)
    forgetSteps();
  if (place >= kFirstGlobal) {
    Memory &memory = global[static_cast<size_t>(place - kFirstGlobal)];
    Granules &coarse = granules[static_cast<size_t>(place - kFirstGlobal)];
    if (!coarse.isUsed())
      coarse.each(from, to, [](Granules::Entry &) { return true; });
    coarse.around(from, to, [&](Granules::Entry &entry, const char *begin, const char *end) {
      if (entry.write == Granules::kSingle)
        return;
      auto epoch = [&](uint32_t which, const char *address) -> Epoch {
        if (!which)
          return {};
        Span span = spanAt(which);
        // For this block: before the last barrier, or repeated below.
        return {logged[which].run, 0, static_cast<uint16_t>(span.threadAt(address, launch.block)),
                static_cast<uint16_t>(span.isAtomic() ? kAtomic : 0), numberOf(span.site)};
      };
      if (entry.write || entry.read)
        memory.each(begin, static_cast<size_t>(end - begin), [&](Cell &cell, const char *address) {
          cell.write = epoch(entry.write, address);
          cell.read = epoch(entry.read, address);
        });
      entry = {Granules::kSingle, 0};
    });
  }
  for (size_t i = 0; i < interval.size();)
    if (interval[i].low < to && from < interval[i].high) {
      Span span = interval[i];
      interval.erase(interval.begin() + static_cast<ptrdiff_t>(i));
      // Check its granules as a whole before its own accesses change their cells.
      if (place >= kFirstGlobal)
        takeApart(place, span.low, span.high);
      repeat(span, place);
      i = 0;
    } else {
      ++i;
    }
}

/// Gives all accesses until now the current clocks. Call it before threads order their accesses
/// other than by a barrier of the block.
void CheckedLaunch::takeAllApart() {
  forgetSteps();
  while (!interval.empty()) {
    Span span = interval.back();
    takeApart(memoryAt(span.low), span.low, span.high);
  }
}

/// The accesses of a span, one by one.
void CheckedLaunch::repeat(const Span &span, int place) {
  settle();
  Memory &memory =
      place == kSharedMemory ? *shared : global[static_cast<size_t>(place - kFirstGlobal)];
  singles[place].add(span.low, span.high);
  for (int64_t z = 0; z < span.number[2]; ++z)
    for (int64_t y = 0; y < span.number[1]; ++y)
      for (int64_t x = 0; x < span.number[0]; ++x) {
        auto thread =
            span.thread + static_cast<uint32_t>(x + launch.block[0] * (y + launch.block[1] * z));
        char *first = span.first + x * span.stride[0] + y * span.stride[1] + z * span.stride[2];
        for (int64_t i = 0; i < span.number[3]; ++i)
          for (int64_t j = 0; j < span.number[4]; ++j)
            touch(memory, span.site, thread, first + i * span.stride[3] + j * span.stride[4],
                  span.what, nullptr, place == kSharedMemory);
      }
}

} // namespace fairlead::cpu::check

int32_t FairleadCheckRepeats(int32_t step, int64_t x, int64_t y, int64_t z, int32_t thread) {
  using fairlead::cpu::check::CheckedLaunch;
  CheckedLaunch *launch = CheckedLaunch::current();
  const int64_t threads[3] = {x, y, z};
  return launch && launch->repeats(step, threads, static_cast<uint32_t>(thread));
}

int32_t FairleadCheckSpans(const FairleadCheckSpan *spans, int32_t number, int64_t x, int64_t y,
                           int64_t z, int32_t thread) {
  using fairlead::cpu::check::CheckedLaunch;
  CheckedLaunch *launch = CheckedLaunch::current();
  const int64_t threads[3] = {x, y, z};
  return !launch || launch->takeSpans(spans, number, threads, static_cast<uint32_t>(thread));
}
