/// Scale factors in tensor memory, of products with block scaling.
#ifndef FAIRLEAD_LIB_RUNTIME_CPU_SCALEFACTORS_H_
#define FAIRLEAD_LIB_RUNTIME_CPU_SCALEFACTORS_H_

#include <cstdint>

#include "runtime/cpu/TensorMemory.h"

namespace fairlead::cpu {

/// The scale factors of an operand's rows. 32 rows have the bytes of a column, the next ones those
/// of the next column. Every warp's 32 lanes hold a copy.
class ScaleFactors {
public:
  /// `address`: of the first factor, its two highest bits the byte in the column. `isHalved`: the
  /// upper two warps' lanes hold the second half of the rows.
  ScaleFactors(TensorMemory &memory, int32_t address, int rows, int vector, bool areExponents,
               bool isHalved);

  /// Elements along K that share a factor.
  int vector() const { return elements; }
  /// Notes a problem if `number` factors of a row may not begin at this byte of a column.
  void requireFirstByte(int number) const;
  /// Reads the first factors of a row. Returns false if a part of them has no value.
  bool row(int index, int number, double *factors) const;

private:
  TensorMemory &memory;
  const TensorAddress first;
  const int firstByte, elements;
  const int rowsInLanes; ///< that the copy in the first warp's lanes has
  const bool areExponents, isHalved;
};

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_RUNTIME_CPU_SCALEFACTORS_H_
