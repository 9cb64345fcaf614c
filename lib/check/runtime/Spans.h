/// Accesses of all threads of a block at once: what one affine map of threads and rounds says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "check/runtime/SparseTable.h"
#include "check/runtime/Touch.h"

namespace fairlead::check {

/// Word by word: one has just been stored like this, and a load of several of its words, as of
/// memcmp, would have to wait until they are in the cache.
inline bool areEqual(const int64_t *a, const int64_t *b, int number) {
  for (int i = 0; i < number; ++i)
    if (a[i] != b[i])
      return false;
  return true;
}

/// Round (i, j) of thread (x, y, z) of a box touches `bytes` bytes at first + x s0 + y s1 + z s2 +
/// i s3 + j s4.
struct Span {
  static constexpr int kDimensions = 5, kThreadDimensions = 3;
  void *site;
  char *first;
  char *low, *high; ///< the bytes are in [low, high)
  int64_t stride[kDimensions];
  int64_t number[kDimensions]; ///< all at least 1
  int32_t what;                ///< as FairleadCheckAccess says
  uint32_t thread;             ///< the first one's number in the block

  uint32_t bytes() const { return static_cast<uint32_t>(bytesOf(what)); }
  bool writes() const { return isWrite(what); }
  bool isAtomic() const { return check::isAtomic(what); }
  bool isOfBlock() const { return check::isOfBlock(what); }
  /// Sets `low` and `high`. Returns the start of the last round of the last thread.
  const char *measure();
  void moveTo(char *other) {
    low += other - first;
    high += other - first;
    first = other;
  }
  /// True if no two threads touch the same byte.
  bool isApart() const;
  bool isSame(const Span &other) const;
  /// True if, without comparing single bytes, the spans are known not to race.
  bool isApartFrom(const Span &other) const;
  /// The number in the block of a thread that touches the address.
  uint32_t threadAt(const char *address, const int32_t *block) const;

  /// Visits the pieces [from, to) that it consists of.
  template <typename Visit> void pieces(const Visit &visit) const {
    int order[kDimensions];
    int64_t run;
    int open = openDimensions(order, run);
    const char *start = low;
    int64_t at[kDimensions] = {};
    for (;;) {
      visit(start, start + run);
      int d = 0;
      for (; d < open; ++d) {
        int64_t step = std::abs(stride[order[d]]);
        if (++at[d] < number[order[d]]) {
          start += step;
          break;
        }
        start -= step * (number[order[d]] - 1);
        at[d] = 0;
      }
      if (d == open)
        return;
    }
  }

private:
  /// The dimensions that pieces are apart by, and how long a piece is.
  int openDimensions(int *order, int64_t &run) const;
};

/// Blocks that touched a memory of the call by spans. The granules are as large as possible so that
/// every span so far consists of whole ones.
class Granules {
public:
  /// Numbers in a launch's log of spans. 0: none.
  struct Entry {
    uint32_t write = 0, read = 0;
  };
  static constexpr uint32_t kSingle = 1; ///< of `write`: single accesses, which the cells tell

  Granules(const char *begin, size_t bytes) : begin(begin), bytes(bytes) {}

  /// Visits the entries of [from, to) until `visit` returns false; whether none did.
  template <typename Visit> bool each(const char *from, const char *to, const Visit &visit) {
    auto first = static_cast<size_t>(from - begin);
    size_t last = std::min(static_cast<size_t>(to - begin), bytes);
    size_t misfit = first | (last == bytes ? 0 : last);
    if (misfit & ((size_t{1} << log2) - 1))
      refine(__builtin_ctzll(misfit));
    return entries.each(first >> log2, granulesUntil(last),
                        [&](Entry &entry, size_t) { return visit(entry); });
  }
  /// Visits the granules that hold some of [from, to), which may not be whole ones: the entry, and
  /// where its memory begins and ends.
  template <typename Visit> void around(const char *from, const char *to, const Visit &visit) {
    if (entries.empty())
      return;
    auto first = static_cast<size_t>(from - begin), last = static_cast<size_t>(to - begin);
    entries.each(first >> log2, granulesUntil(std::min(last, bytes)), [&](Entry &entry, size_t at) {
      visit(entry, begin + (at << log2), begin + std::min((at + 1) << log2, bytes));
      return true;
    });
  }
  bool isUsed() const { return !entries.empty(); }

private:
  void refine(int to);
  /// Number of granules that begin before byte `to`.
  size_t granulesUntil(size_t to) const { return to ? ((to - 1) >> log2) + 1 : 0; }

  const char *begin;
  size_t bytes;
  int log2 = 12;
  SparseTable<Entry> entries;
};

/// A range that grows to contain all accesses.
struct Hull {
  const char *low = nullptr, *high = nullptr;
  void add(const char *from, const char *to) {
    if (!low || from < low)
      low = from;
    if (!high || to > high)
      high = to;
  }
  bool meets(const char *from, const char *to) const { return low && from < high && low < to; }
};

} // namespace fairlead::check
