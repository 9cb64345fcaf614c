/// Rows of 16 bytes in memory, whose addresses the lanes of a warp give as numbers.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Operation.h"

namespace fairlead::check {

class CheckBuilder;

} // namespace fairlead::check

namespace fairlead::lower {

class FissionBuilder;
class ThreadBuilder;

/// Returns the address in lane `lane` of a table of the warp's addresses.
mlir::Value rowAddress(FissionBuilder &warp, mlir::Value table, int lane);

/// Returns the address in shared memory, `row` of another lane, if lanes run separately: `lane` is
/// its index.
mlir::Value rowOfLane(ThreadBuilder &thread, mlir::Value row, mlir::Value lane);

/// Guards or reports the accesses to `bytes` bytes of the rows that the first `rows` lanes of a
/// warp give. `kind` is of FairleadCheckAccessKind.
void tellRows(mlir::Operation *op, mlir::Value row, int bytes, int rows, int kind,
              check::CheckBuilder &checks);

/// Picks elements of two vectors of one type; the indices of the second follow those of the first.
mlir::Value pick(mlir::ImplicitLocOpBuilder &b, mlir::Value first, mlir::Value second,
                 llvm::ArrayRef<int32_t> order);
/// Concatenates the vectors, a power of two of them.
mlir::Value joined(mlir::ImplicitLocOpBuilder &b, mlir::ArrayRef<mlir::Value> vectors);
/// Returns `count` elements from `begin` on.
mlir::Value part(mlir::ImplicitLocOpBuilder &b, mlir::Value vector, int64_t begin, int64_t count);

} // namespace fairlead::lower
