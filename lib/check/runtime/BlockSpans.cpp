#include "check/runtime/BlockSpans.h"

#include <algorithm>
#include <utility>

namespace fairlead::check {
namespace {

/// Beyond this number in one interval between barriers, accesses are checked one by one.
constexpr size_t kMostSpans = 64;

bool isAccess(const FairleadCheckSpan &span) { return !(span.what & kFairleadCheckOnlyInside); }

/// True if any thread accesses memory.
bool isAny(const FairleadCheckSpan &span) { return span.rounds[0] > 0 && span.rounds[1] > 0; }

Span spanOf(const FairleadCheckSpan &given, const int64_t *threads, uint32_t thread) {
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

bool isInside(const FairleadCheckSpan &given, const Span &span, const CallTensors &tensors) {
  if (!given.base)
    return true;
  const CallTensor *tensor = tensorAt(tensors, given.base);
  return !tensor || (span.low >= tensor->begin && span.high <= tensor->end);
}

/// Measures the span. Returns false if it has to be reported access by access: it leaves its
/// tensor, or is no affine map, as with an index that wrapped around.
bool measureInside(const FairleadCheckSpan &given, Span &span, const CallTensors &tensors) {
  return span.measure() == given.last && isInside(given, span, tensors);
}

} // namespace

bool areInside(const GivenSpans &given, const CallTensors &tensors) {
  return std::all_of(given.spans, given.spans + given.number, [&](const FairleadCheckSpan &each) {
    Span span = spanOf(each, given.threads, given.thread);
    return !isAny(each) || measureInside(each, span, tensors);
  });
}

void BlockSpans::begin() {
  for (const WatchedMemory::Range &range : memory.globalRanges())
    granules.emplace_back(range.begin, range.bytes);
  singles.resize(WatchedMemory::kFirstGlobal + granules.size());
}

bool BlockSpans::take(const GivenSpans &given) {
  const int32_t own = steps.takeNumber();
  if (steps.isNext(given.spans, given.number, given.threads, given.thread))
    return takeAgain(given);
  recall();
  const size_t before = interval.size();
  Steps::Step step;
  step.number = own;
  for (size_t i = 0; i < given.number; ++i) {
    const FairleadCheckSpan &each = given.spans[i];
    Span span = spanOf(each, given.threads, given.thread);
    if (isAny(each)) {
      if (!measureInside(each, span, tensors) || (isAccess(each) && !takeSpan(span))) {
        interval.resize(before);
        steps.stop();
        return false;
      }
      if (each.base || memory.at(span.low) != WatchedMemory::kShared)
        step.global.push_back(i);
    }
    step.spans.push_back(span);
  }
  for (size_t i = before; i < interval.size(); ++i) {
    log(interval[i]);
    if (memory.at(interval[i].low) == WatchedMemory::kShared)
      step.shared.push_back(interval[i]);
  }
  steps.add(std::move(step), given.spans, given.number, given.threads, given.thread);
  return true;
}

/// Takes spans that the block before took at this step: in shared memory all is as it was there.
bool BlockSpans::takeAgain(const GivenSpans &given) {
  const Steps::Step &step = steps.take();
  const size_t before = interval.size();
  for (size_t i : step.global) {
    Span span = step.spans[i];
    span.moveTo(static_cast<char *>(given.spans[i].first));
    if (!isInside(given.spans[i], span, tensors) || (isAccess(given.spans[i]) && !takeSpan(span))) {
      steps.untake();
      interval.resize(before);
      forgetSteps();
      return false;
    }
  }
  for (size_t i = before; i < interval.size(); ++i)
    log(interval[i]);
  return true;
}

/// Adds the spans that the interval shares with the previous block's interval.
void BlockSpans::recall() {
  steps.recall([&](const Span &span) { interval.push_back(span); });
}

/// Adds a span to the interval's if it cannot race with any of them, nor with other blocks.
bool BlockSpans::takeSpan(const Span &span) {
  const int number = memory.at(span.low);
  if (number == WatchedMemory::kNone)
    return true;
  if (memory.at(span.high - 1) != number || interval.size() >= kMostSpans)
    return false;
  if (singles[static_cast<size_t>(number)].meets(span.low, span.high))
    return false;
  if (number == WatchedMemory::kShared && copied.meets(span.low, span.high))
    return false;
  if (span.writes() && !span.isAtomic() && !span.isApart())
    return false;
  for (const Span &other : interval) {
    if (span.isSame(other))
      return true;
    if (!span.isApartFrom(other))
      return false;
  }
  if (number != WatchedMemory::kShared && racesWithBlocks(span, granulesOf(number)))
    return false;
  interval.push_back(span);
  return true;
}

bool BlockSpans::racesWithBlocks(const Span &span, Granules &granules) {
  bool races = false;
  auto conflicts = [&](uint32_t entry) {
    if (!entry || entry == Granules::kSingle || logged[entry].run == block.run())
      return entry == Granules::kSingle;
    const Span other = spanAt(entry);
    return !span.isAtomic() || !other.isAtomic() || span.isOfBlock() || other.isOfBlock();
  };
  span.pieces([&](const char *from, const char *to) {
    races = races || !granules.each(from, to, [&](const Granules::Entry &entry) {
      return !conflicts(entry.write) && !(span.writes() && conflicts(entry.read));
    });
  });
  return races;
}

/// Remembers the accesses of a span of global memory.
void BlockSpans::log(const Span &span) {
  const int number = memory.at(span.low);
  if (number < WatchedMemory::kFirstGlobal)
    return;
  uint32_t site = sites.numberOf(span.site);
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
  logged.push_back({span.first, known - 1, block.run()});
  span.pieces([&](const char *from, const char *to) {
    granulesOf(number).each(from, to, [&](Granules::Entry &granule) {
      if (span.writes())
        granule.write = entry;
      else if (!granule.read) // later blocks race with the first reader, if with any
        granule.read = entry;
      return true;
    });
  });
}

Span BlockSpans::spanAt(uint32_t entry) const {
  Span span = shapes[logged[entry].shape];
  span.first = logged[entry].first;
  span.measure();
  return span;
}

/// Single accesses or other order: this block goes its own way.
void BlockSpans::forgetSteps() {
  recall();
  steps.stop();
}

void BlockSpans::prepare(int number, const char *from, const char *to) {
  takeApart(number, from, to);
  singles[static_cast<size_t>(number)].add(from, to);
}

/// Moves the known accesses of these bytes into their cells, before a single access of them.
void BlockSpans::takeApart(int number, const char *from, const char *to) {
  if (number == WatchedMemory::kShared)
    forgetSteps();
  if (number >= WatchedMemory::kFirstGlobal)
    logToCells(number, from, to);
  for (size_t i = 0; i < interval.size();)
    if (interval[i].low < to && from < interval[i].high) {
      Span span = interval[i];
      interval.erase(interval.begin() + static_cast<ptrdiff_t>(i));
      // Check its granules as a whole before its own accesses change their cells.
      if (number >= WatchedMemory::kFirstGlobal)
        takeApart(number, span.low, span.high);
      repeat(span, number);
      i = 0;
    } else {
      ++i;
    }
}

/// Moves the logged accesses of these bytes of a global memory into their cells.
void BlockSpans::logToCells(int number, const char *from, const char *to) {
  Granules &coarse = granulesOf(number);
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
              static_cast<uint16_t>((span.isAtomic() ? kAtomic : 0) |
                                    (span.isOfBlock() ? kOfBlock : 0)),
              sites.numberOf(span.site)};
    };
    if (entry.write || entry.read)
      memory[number].each(begin, static_cast<size_t>(end - begin),
                          [&](Cell &cell, const char *address) {
                            cell.write = epoch(entry.write, address);
                            cell.read = epoch(entry.read, address);
                          });
    entry = {Granules::kSingle, 0};
  });
}

void BlockSpans::takeAllApart() {
  forgetSteps();
  while (!interval.empty()) {
    Span span = interval.back();
    takeApart(memory.at(span.low), span.low, span.high);
  }
}

bool BlockSpans::any() {
  recall();
  return !interval.empty();
}

Granules::Entry BlockSpans::entryAt(int number, const char *address) {
  Granules::Entry entry;
  granulesOf(number).around(
      address, address + 1,
      [&](const Granules::Entry &touched, const char *, const char *) { entry = touched; });
  return entry;
}

bool BlockSpans::isWritten(int number, const char *address, size_t bytes) {
  const uint32_t entry = entryAt(number, address).write;
  if (entry != Granules::kSingle)
    return entry != 0;
  bool written = false;
  memory[number].each(address, bytes, [&](const Cell &cell, const char *) {
    written = cell.write.block >= RunningBlock::kFirstRun;
  });
  return written;
}

bool BlockSpans::isRead(int number, const char *address, size_t bytes) {
  const Granules::Entry entry = entryAt(number, address);
  bool read = entry.read != 0;
  if (entry.write == Granules::kSingle)
    memory[number].each(address, bytes, [&](const Cell &cell, const char *) {
      read = read || cell.read.block >= RunningBlock::kFirstRun;
    });
  return read;
}

BlockSpans::Writer BlockSpans::writerOf(int number, const char *address, size_t bytes) {
  const uint32_t entry = entryAt(number, address).write;
  if (entry != Granules::kSingle) {
    const Span span = spanAt(entry);
    return {span.site, span.threadAt(address, launch.block), logged[entry].run, span.isAtomic()};
  }
  Writer writer{};
  memory[number].each(address, bytes, [&](const Cell &cell, const char *) {
    writer = {sites.at(cell.write.site), cell.write.who, cell.write.block,
              (cell.write.flags & kAtomic) != 0};
  });
  return writer;
}

/// The accesses of a span, one by one.
void BlockSpans::repeat(const Span &span, int number) {
  singles[static_cast<size_t>(number)].add(span.low, span.high);
  for (int64_t z = 0; z < span.number[2]; ++z)
    for (int64_t y = 0; y < span.number[1]; ++y)
      for (int64_t x = 0; x < span.number[0]; ++x) {
        auto thread =
            span.thread + static_cast<uint32_t>(x + launch.block[0] * (y + launch.block[1] * z));
        char *first = span.first + x * span.stride[0] + y * span.stride[1] + z * span.stride[2];
        for (int64_t i = 0; i < span.number[3]; ++i)
          for (int64_t j = 0; j < span.number[4]; ++j)
            races.access(number, {span.site, thread}, thread,
                         first + i * span.stride[3] + j * span.stride[4], span.what, nullptr);
      }
}

} // namespace fairlead::check
