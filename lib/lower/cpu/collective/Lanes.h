/// Vectors of the values in the lanes of a warp, for the operations of atoms.
#ifndef FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_LANES_H_
#define FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_LANES_H_

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// Picks elements of two vectors of one type; the indices of the second follow those of the first.
mlir::Value pick(mlir::ImplicitLocOpBuilder &b, mlir::Value first, mlir::Value second,
                 llvm::ArrayRef<int32_t> order);
/// Concatenates the vectors, a power of two of them.
mlir::Value joined(mlir::ImplicitLocOpBuilder &b, mlir::ArrayRef<mlir::Value> vectors);
/// Returns `count` elements from `begin` on.
mlir::Value part(mlir::ImplicitLocOpBuilder &b, mlir::Value vector, int64_t begin, int64_t count);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_LANES_H_
