/// The tensor memory of a block, as kernels compiled for the CPU have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cpu/Mbarrier.h"
#include "runtime/cpu/ThreadState.h"

namespace fairlead::cpu {

/// A lane and a column, from the number that a program has.
struct TensorAddress {
  explicit TensorAddress(int32_t number)
      : lane(static_cast<uint32_t>(number) >> 16 & 0x7f), column(number & 0x1ff),
        isInside(!(number & kBeyond)) {}
  uint32_t lane, column;
  bool isInside; ///< false if the number has a greater lane or column than there is

private:
  /// Bits of greater lanes and columns. The highest two are the byte of a scale factor.
  static constexpr int32_t kBeyond = 0x3f80fe00;
};

/// 128 lanes of 512 columns of 32 bits. A block's threads run in turns: nothing is atomic.
class TensorMemory {
public:
  static constexpr uint32_t kLanes = 128, kColumns = 512;

  /// Returns the cell of a lane and a column. Numbers beyond the last one begin again at 0.
  uint32_t &cell(uint32_t lane, uint32_t column) {
    return cells[lane % kLanes * kColumns + column % kColumns];
  }

  /// Says that a cell has a value, or that its contents come from memory that was never written.
  void setValue(uint32_t lane, uint32_t column, bool hasValue) {
    if (hasValue != lacksValue(lane, column))
      return;
    noValue.resize(cells.size()); // a kernel may write without a reservation
    noValue[lane % kLanes * kColumns + column % kColumns] = !hasValue;
  }
  bool lacksValue(uint32_t lane, uint32_t column) const {
    return !noValue.empty() && noValue[lane % kLanes * kColumns + column % kColumns];
  }
  /// No cell of these columns has a value.
  void forgetValues(int32_t first, int32_t columns);

  /// Reserves a power of two of columns; returns the first, or -1 when there are not enough.
  int32_t reserve(int32_t columns);
  /// A reservation.
  struct Reservation {
    int32_t first, columns;
    bool operator==(const Reservation &) const = default;
  };
  /// The other block of the pair has reserved these columns for both.
  void promise(int32_t first, int32_t columns, bool forgets);
  /// Returns the first columns that the other block has reserved and this one has not asked for.
  std::optional<Reservation> takePromised();
  /// The block waits here for the other one of its pair, which arrives: phase 0.
  Mbarrier pairBarrier{};
  /// Frees what `reserve` gave; returns false if it did not give that. A second time it has no
  /// effect, and is right unless the kernel is checked.
  bool free(int32_t first, int32_t columns);
  /// Returns the number of columns that the block asked for before, and keeps this one; 0: none.
  int32_t exchangeAsked(int32_t columns) { return std::exchange(asked, columns); }
  /// The block says that it reserves no more columns.
  void relinquish() { relinquished = true; }
  bool hasRelinquished() const { return relinquished; }
  /// Returns the number of columns that are reserved.
  int32_t reserved() const;
  /// True if all these columns are reserved.
  bool holds(int32_t first, int32_t columns) const;

  /// Tells the observer of the wrong use, in words that follow "Block (0, 0, 0)". Without one that
  /// takes it, keeps the first.
  void noteProblem(std::string what);
  /// Returns the problem, and frees everything for the next block.
  std::string end();

private:
  bool isFree(int32_t first, int32_t columns) const;

  std::string problem;
  std::vector<uint32_t> cells = std::vector<uint32_t>(size_t{kLanes} * kColumns);
  std::vector<bool> noValue; ///< one bit for each cell; empty if nobody asks for values
  std::vector<Reservation> reservations;
  std::vector<Reservation> freed;
  std::vector<Reservation> promised;
  int32_t asked = 0; ///< columns, by the last reservation
  bool relinquished = false;
};

/// Returns the tensor memory of a block of the running block's cluster.
TensorMemory &tensorMemoryOf(size_t rank);
/// Returns the tensor memory of the running block.
TensorMemory &ownTensorMemory();

/// Notes a problem if these columns are not all reserved. `verb` names the program's action.
void requireReserved(TensorMemory &memory, const char *verb, TensorAddress first, int32_t columns);

/// Notes a problem unless the cluster of the running block has pairs of blocks.
void requireEvenCluster(const char *verb);
/// Notes a problem unless the running block is the even one of a pair, which issues the operations
/// of both.
void requirePair(const char *verb);
/// Notes a problem if a descriptor of shared memory is none.
void requireDescriptor(uint64_t descriptor);
/// Returns false and notes a problem if these bytes, to which a descriptor leads, are not all in
/// the shared memory that begins at `shared`.
bool isInShared(const char *unit, const void *shared, size_t bytes);

/// Reports wrong uses by the block that this thread has run. Columns that it has not freed are one.
void endTensorMemory(const int32_t (&block)[3]);
/// Drops the reservations of a block that an assertion stopped.
void dropTensorMemory(ThreadState &thread);

} // namespace fairlead::cpu
