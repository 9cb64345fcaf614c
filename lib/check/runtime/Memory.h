/// Shadow memory: of each piece of a memory who wrote it last and who read it since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/runtime/SparseTable.h"

namespace fairlead::check {

/// Who touched a piece, when.
struct Epoch {
  uint32_t block; ///< number of the block's run; 0: nobody
  uint32_t when;  ///< on the clock of `who`
  uint16_t who;   ///< thread or agent of that block
  uint16_t flags;
  uint32_t site; ///< number of the site
};
enum EpochFlag : uint16_t {
  kAtomic = 1,
  kSame = 2,     ///< several wrote, and all the same
  kSeveral = 4,  ///< of reads: the cell's row holds them all
  kEnded = 8,    ///< no write: the block whose memory it is has ended
  kOfBlock = 16, ///< an atomic for the threads of its block alone
};

struct Cell {
  Epoch write, read;
  uint32_t row; ///< of its readers, counted from 1; 0: none was taken
};

/// The cells of a range of memory. Their size divides the size and offset of every access so far.
class Memory {
public:
  Memory(char *begin, size_t bytes, int log2) : begin(begin), bytes(bytes), log2(log2) {}

  bool contains(const char *address) const { return static_cast<size_t>(address - begin) < bytes; }
  bool is(const char *other, size_t size) const { return other == begin && size == bytes; }
  /// Visits the cells of the bytes.
  template <typename Visit> void each(const char *address, size_t size, const Visit &visit) {
    auto from = static_cast<size_t>(address - begin);
    size_t to = from + size < bytes ? from + size : bytes;
    size_t misfit = (from | to) & ((size_t{1} << log2) - 1);
    if (misfit && to != bytes)
      refine(__builtin_ctzll(misfit));
    else if (from & ((size_t{1} << log2) - 1))
      refine(__builtin_ctzll(from));
    cells.each(from >> log2, cellsUntil(to), [&](Cell &cell, size_t at) {
      visit(cell, begin + (at << log2));
      return true;
    });
  }

private:
  void refine(int to);
  /// Number of cells that begin before byte `to`.
  size_t cellsUntil(size_t to) const { return to ? ((to - 1) >> log2) + 1 : 0; }

  char *begin;
  size_t bytes;
  int log2;
  SparseTable<Cell> cells;
};

/// The readers of cells that several threads read: for each of `size()` when, and where.
class ReaderRows {
public:
  struct Reader {
    uint32_t when, site : 31, isAtomic : 1;
  };
  void begin(size_t readers);
  /// The cleared row of a cell, taken if it has none; null when there is no room.
  Reader *clear(Cell &cell);
  size_t size() const { return width; }
  Reader *of(const Cell &cell) { return &readers[(cell.row - 1) * width]; }

private:
  static constexpr size_t kMost = size_t{1} << 25; ///< readers in all
  size_t width = 0, taken = 0;
  std::vector<Reader> readers;
};

} // namespace fairlead::check
