/// The places of operands of tcgen05.mma in tensor memory. Internal to lib/dsl/atom.
#pragma once

#include <string>

#include "fairlead/dsl/atom/MmaAtom.h"

namespace fairlead::dsl {

/// The places of a block's part of an operand in tensor memory. Addresses count elements.
class TensorMemoryPlaces {
public:
  /// The places of the accumulator: a cell of 32 bits for each element.
  static TensorMemoryPlaces ofC(const MmaAtom &atom, const MmaAtom::TensorMemory &operands);
  /// The places of A, whose elements are packed along K.
  static TensorMemoryPlaces ofA(const MmaAtom &atom, const MmaAtom::TensorMemory &operands);

  /// Return the layout of a partition of this shape, ((rows, columns), tiles, ...). 64 rows of A in
  /// a pair of blocks have 128 lanes, and the upper half repeats the lower one. Throws
  /// fairlead::Error (TypeError, TensorMemoryShape or TensorMemoryFragment).
  layout::Layout layoutOf(const layout::IntTuple &shape) const;

private:
  TensorMemoryPlaces(int rows, int columns) : rows(rows), columns(columns) {}

  bool hasShape(const layout::IntTuple &shape) const;
  std::string shapeText() const;
  [[noreturn]] void reject(const std::string &expected, const std::string &got) const;
  layout::Layout ofProduct() const;
  layout::Layout ofTiles(int64_t extent, int64_t reached) const;
  bool isInterleaved() const { return isSpread && !skipsLanes; }
  int64_t columnsOf(int64_t products) const;

  int rows, columns;            ///< of one product
  bool isOfA = false;           ///< not of the accumulator
  bool isSpread = false;        ///< 64 rows of one block take 16 lanes of each warp's 32
  bool skipsLanes = false;      ///< the other 16 lanes stay free
  bool isHalved = false;        ///< the right half of the columns is below the left one
  bool isRepeated = false;      ///< lanes 64 to 127 hold the rows again
  int64_t column = 1, lane = 0; ///< steps of addresses
};

} // namespace fairlead::dsl
