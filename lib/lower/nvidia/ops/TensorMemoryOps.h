/// Instructions on tensor memory (tcgen05). Internal to lib/lower.
#ifndef FAIRLEAD_LIB_LOWER_NVIDIA_OPS_TENSORMEMORYOPS_H_
#define FAIRLEAD_LIB_LOWER_NVIDIA_OPS_TENSORMEMORYOPS_H_

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// Replaces an operation on tensor memory by inline PTX; returns false for other operations. `b`
/// inserts before it. LLVM's intrinsics do not work here: LLVM moves accesses of shared memory
/// across them.
bool lowerTensorMemoryOp(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_NVIDIA_OPS_TENSORMEMORYOPS_H_
