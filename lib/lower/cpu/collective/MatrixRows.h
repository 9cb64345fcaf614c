/// Rows of 16 bytes in memory, whose addresses the lanes of a warp give as numbers.
#ifndef FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_MATRIXROWS_H_
#define FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_MATRIXROWS_H_

#include "mlir/IR/Operation.h"

namespace fairlead::check {
class CheckBuilder;
}

namespace fairlead::lower {

class FissionBuilder;
class ThreadBuilder;

/// Returns the address in lane `lane` of a table of the warp's addresses.
mlir::Value rowAddress(FissionBuilder &warp, mlir::Value table, int lane);

/// Returns the address, `row` of another lane, if lanes run separately: `lane` is its index.
mlir::Value rowOfLane(ThreadBuilder &thread, mlir::Value row, mlir::Value lane);

/// Guards or reports the accesses to `bytes` bytes of the rows that the first `rows` lanes of a
/// warp give. `kind` is of FairleadCheckAccessKind.
void tellRows(mlir::Operation *op, mlir::Value row, int bytes, int rows, int kind,
              check::CheckBuilder &checks);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_MATRIXROWS_H_
