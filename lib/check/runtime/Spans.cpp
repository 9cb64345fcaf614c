#include "check/runtime/Spans.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fairlead::check {

const char *Span::measure() {
  int64_t before = 0, after = 0;
  for (int d = 0; d < kDimensions; ++d) {
    int64_t reach = stride[d] * (number[d] - 1);
    before += std::min<int64_t>(reach, 0);
    after += std::max<int64_t>(reach, 0);
  }
  low = first + before;
  high = first + after + bytes();
  return first + before + after;
}

/// True if elements of `size` bytes at multiples of the strides do not overlap. Each stride has to
/// exceed the reach of the smaller ones.
static bool areApart(int64_t size, const int64_t *stride, const int64_t *number, int dimensions) {
  uint32_t open = 0;
  for (int d = 0; d < dimensions; ++d)
    if (number[d] > 1)
      open |= 1U << d;
  while (open) {
    int next = __builtin_ctz(open);
    for (int d = next + 1; d < dimensions; ++d)
      if (open >> d & 1 && std::abs(stride[d]) < std::abs(stride[next]))
        next = d;
    open &= ~(1U << next);
    if (std::abs(stride[next]) < size)
      return false;
    size += std::abs(stride[next]) * (number[next] - 1);
  }
  return true;
}

bool Span::isApart() const {
  int64_t steps[kDimensions], times[kDimensions];
  for (int d = 0; d < kDimensions; ++d) {
    steps[d] = stride[d];
    // A thread may touch the same byte in all rounds.
    times[d] = d >= kThreadDimensions && stride[d] == 0 ? 1 : number[d];
  }
  if (areApart(bytes(), steps, times, kDimensions))
    return true;
  // Or all of a thread's rounds are in a separate part.
  int64_t size = bytes();
  for (int d = kThreadDimensions; d < kDimensions; ++d)
    size += std::abs(stride[d]) * (number[d] - 1);
  return areApart(size, stride, number, kThreadDimensions);
}

bool Span::isSame(const Span &other) const {
  return first == other.first && what == other.what && thread == other.thread &&
         areEqual(stride, other.stride, kDimensions) && areEqual(number, other.number, kDimensions);
}

bool Span::isApartFrom(const Span &other) const {
  if ((!writes() && !other.writes()) || (isAtomic() && other.isAtomic()))
    return true;
  if (high <= other.low || other.high <= low)
    return true;
  // The spans may be disjoint parts of a repeating pattern, such as the two halves of pairs.
  int64_t period = 0;
  for (int d = 0; d < kDimensions; ++d) {
    if (number[d] > 1)
      period = std::gcd(period, stride[d]);
    if (other.number[d] > 1)
      period = std::gcd(period, other.stride[d]);
  }
  if (period > 0) {
    int64_t distance = (other.first - first) % period;
    if (distance < 0)
      distance += period;
    if (distance >= bytes() && distance + other.bytes() <= period)
      return true;
  }
  // The accesses may belong to one thread per part.
  if (thread != other.thread)
    return false;
  int64_t most[kThreadDimensions];
  for (int d = 0; d < kThreadDimensions; ++d) {
    most[d] = std::max(number[d], other.number[d]);
    if (most[d] > 1 && stride[d] != other.stride[d])
      return false;
  }
  bool sameRounds = first == other.first && bytes() == other.bytes();
  for (int d = kThreadDimensions; d < kDimensions; ++d)
    sameRounds = sameRounds && number[d] == other.number[d] && stride[d] == other.stride[d];
  if (sameRounds) {
    Span both = *this;
    std::copy(most, most + kThreadDimensions, both.number);
    return both.isApart();
  }
  auto part = [](const Span &span, const char *&from, const char *&to) {
    from = to = span.first;
    for (int d = kThreadDimensions; d < kDimensions; ++d) {
      int64_t reach = span.stride[d] * (span.number[d] - 1);
      (reach < 0 ? from : to) += reach;
    }
    to += span.bytes();
  };
  const char *from, *to, *otherFrom, *otherTo;
  part(*this, from, to);
  part(other, otherFrom, otherTo);
  return areApart(std::max(to, otherTo) - std::min(from, otherFrom), stride, most,
                  kThreadDimensions);
}

uint32_t Span::threadAt(const char *address, const int32_t *block) const {
  // From the largest stride down: exact if the strides do not overlap.
  int order[kDimensions] = {0, 1, 2, 3, 4};
  std::sort(order, order + kDimensions,
            [&](int a, int b) { return std::abs(stride[a]) > std::abs(stride[b]); });
  int64_t at[kDimensions] = {}, offset = address - low;
  for (int d : order) {
    int64_t step = std::abs(stride[d]);
    if (step == 0)
      continue;
    at[d] = std::min(offset / step, number[d] - 1);
    offset -= at[d] * step;
    if (stride[d] < 0)
      at[d] = number[d] - 1 - at[d];
  }
  return thread + static_cast<uint32_t>(at[0] + block[0] * (at[1] + block[1] * at[2]));
}

int Span::openDimensions(int *order, int64_t &run) const {
  int open = 0;
  for (int d = 0; d < kDimensions; ++d)
    if (number[d] > 1 && stride[d] != 0)
      order[open++] = d;
  std::sort(order, order + open,
            [&](int a, int b) { return std::abs(stride[a]) < std::abs(stride[b]); });
  run = bytes();
  int joined = 0;
  while (joined < open && std::abs(stride[order[joined]]) <= run) {
    run += std::abs(stride[order[joined]]) * (number[order[joined]] - 1);
    ++joined;
  }
  std::copy(order + joined, order + open, order);
  return open - joined;
}

/// The facts about a granule hold for its parts.
void Granules::refine(int to) {
  const int parts = log2 - to;
  log2 = to;
  SparseTable<Entry> old = std::exchange(entries, {});
  old.eachTouched([&](const Entry &entry, size_t at) {
    if (entry.write || entry.read)
      entries.each(at << parts, (at + 1) << parts, [&](Entry &part, size_t) {
        part = entry;
        return true;
      });
  });
}

} // namespace fairlead::check
