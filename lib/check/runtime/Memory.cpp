#include "check/runtime/Memory.h"

#include <algorithm>
#include <utility>

#include <sys/mman.h>

namespace fairlead::check {

Memory::Memory(char *begin, size_t bytes, int log2) : begin(begin), bytes(bytes), log2(log2) {
  allocate();
}

Memory::~Memory() {
  if (cells)
    munmap(cells, numCells() * sizeof(Cell));
}

Memory::Memory(Memory &&other) noexcept
    : begin(other.begin), bytes(other.bytes), log2(other.log2),
      cells(std::exchange(other.cells, nullptr)) {}

/// If allocation fails, the memory is not checked.
void Memory::allocate() {
  void *memory = mmap(nullptr, numCells() * sizeof(Cell), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  cells = memory == MAP_FAILED ? nullptr : static_cast<Cell *>(memory);
}

/// An access to the whole is an access to each of its parts.
void Memory::refine(int to) {
  Cell *old = cells;
  const size_t oldCells = numCells();
  const int parts = log2 - to;
  log2 = to;
  allocate();
  if (!old)
    return;
  if (cells)
    for (size_t at = 0; at < oldCells; ++at) {
      if (!old[at].write.block && !old[at].read.block)
        continue;
      Cell cell = old[at];
      cell.row = 0;
      cell.read.flags &= static_cast<uint16_t>(~kSeveral);
      size_t end = std::min((at + 1) << parts, numCells());
      std::fill(cells + (at << parts), cells + end, cell);
    }
  munmap(old, oldCells * sizeof(Cell));
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
