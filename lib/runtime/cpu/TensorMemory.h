/// The tensor memory of a block, as kernels compiled for the CPU have it.
#ifndef FAIRLEAD_LIB_RUNTIME_CPU_TENSORMEMORY_H_
#define FAIRLEAD_LIB_RUNTIME_CPU_TENSORMEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fairlead::cpu {

/// An address: a lane and a column. Other bits of the number have no meaning here.
struct TensorAddress {
  explicit TensorAddress(int32_t number)
      : lane(static_cast<uint32_t>(number) >> 16 & 0x7f), column(number & 0x1ff) {}
  uint32_t lane, column;
};

/// 128 lanes of 512 columns of 32 bits. A block's threads run in turns: nothing is atomic.
class TensorMemory {
public:
  static constexpr uint32_t kLanes = 128, kColumns = 512;

  /// Returns the cell of a lane and a column, both counted round the ends.
  uint32_t &cell(uint32_t lane, uint32_t column) {
    return cells[lane % kLanes * kColumns + column % kColumns];
  }

  /// Says that a cell has a value, or that what is in it comes from memory that nothing has
  /// written.
  void setValue(uint32_t lane, uint32_t column, bool hasValue) {
    if (hasValue == lacksValue(lane, column))
      noValue[lane % kLanes * kColumns + column % kColumns] = !hasValue;
  }
  bool lacksValue(uint32_t lane, uint32_t column) const {
    return !noValue.empty() && noValue[lane % kLanes * kColumns + column % kColumns];
  }
  /// No cell of these columns has a value.
  void forgetValues(int32_t first, int32_t columns);

  /// Reserves a power of two of columns; returns the first, or -1 when there are not enough.
  int32_t reserve(int32_t columns);
  /// Frees what `reserve` gave; returns false if it did not give that.
  bool free(int32_t first, int32_t columns);
  int32_t reserved() const;
  /// Frees everything.
  void clear() { reservations.clear(); }

private:
  struct Reservation {
    int32_t first, columns;
  };
  bool isFree(int32_t first, int32_t columns) const;

  std::vector<uint32_t> cells = std::vector<uint32_t>(size_t{kLanes} * kColumns);
  std::vector<bool> noValue; ///< of each cell; empty where nobody wants to know
  std::vector<Reservation> reservations;
};

/// The tensor memory of a block of the running block's cluster.
TensorMemory &tensorMemoryOf(size_t rank);
/// That of the running block.
TensorMemory &ownTensorMemory();

/// Called when a block of this thread has ended: what it has not freed is an error.
void endTensorMemory(const int32_t (&block)[3]);

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_RUNTIME_CPU_TENSORMEMORY_H_
