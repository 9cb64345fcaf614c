#include "check/runtime/Memory.h"

#include <algorithm>
#include <utility>

namespace fairlead::check {

/// An access to the whole is an access to each of its parts.
void Memory::refine(int to) {
  SparseTable<Cell> old = std::exchange(cells, {});
  const int parts = log2 - to;
  log2 = to;
  old.eachTouched([&](Cell cell, size_t at) {
    if (!cell.write.block && !cell.read.block)
      return;
    cell.row = 0;
    cell.read.flags &= static_cast<uint16_t>(~kSeveral);
    cells.each(at << parts, (at + 1) << parts, [&](Cell &part, size_t) {
      part = cell;
      return true;
    });
  });
}

void ReaderRows::begin(size_t number) {
  if (width == number)
    return;
  width = number;
  taken = 0;
  readers.clear();
}

ReaderRows::Reader *ReaderRows::clear(Cell &cell) {
  if (!cell.row) {
    if ((taken + 1) * width > kMost)
      return nullptr;
    cell.row = static_cast<uint32_t>(++taken);
    if (readers.size() < taken * width)
      readers.resize(std::max(taken * width, 2 * readers.size()));
  }
  Reader *row = of(cell);
  std::fill(row, row + width, Reader{0, 0, 0});
  return row;
}

} // namespace fairlead::check
