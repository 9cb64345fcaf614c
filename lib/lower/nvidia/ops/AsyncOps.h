/// Instructions of warpgroups, asynchronous copies and their barriers as inline PTX. Internal to
/// lib/lower/nvidia.
#ifndef FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ASYNCOPS_H_
#define FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ASYNCOPS_H_

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// Replaces the operation by PTX if it is one of these; returns false for others. `b` inserts
/// before it. They need compute capability 9.0.
bool lowerAsyncOp(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ASYNCOPS_H_
