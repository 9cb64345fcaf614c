/// Instructions of warpgroups, asynchronous copies and their barriers as inline PTX. Internal to
/// lib/lower/cuda.
#ifndef FAIRLEAD_LIB_LOWER_CUDA_ASYNCOPS_H_
#define FAIRLEAD_LIB_LOWER_CUDA_ASYNCOPS_H_

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// Puts PTX in the place of the operation, if it is one of these; `b` stands before it. False for
/// others. They are of compute capability 9.0.
bool lowerAsyncOp(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CUDA_ASYNCOPS_H_
