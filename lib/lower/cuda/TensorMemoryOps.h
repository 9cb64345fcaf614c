/// Instructions on tensor memory (tcgen05). Internal to lib/lower.
#ifndef FAIRLEAD_LIB_LOWER_CUDA_TENSORMEMORYOPS_H_
#define FAIRLEAD_LIB_LOWER_CUDA_TENSORMEMORYOPS_H_

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// Put inline PTX in the place of an operation on tensor memory; return false for others. `b`
/// stands before it. LLVM has intrinsics, between which and accesses of shared memory it keeps no
/// order.
bool lowerTensorMemoryOp(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CUDA_TENSORMEMORYOPS_H_
