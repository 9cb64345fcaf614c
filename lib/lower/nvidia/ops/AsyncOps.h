/// Instructions of warpgroups, asynchronous copies and their barriers as inline PTX. Internal to
/// lib/lower/nvidia.
#ifndef FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ASYNCOPS_H_
#define FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ASYNCOPS_H_

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// On a device module: loads into the running block's shared memory name it instead of the
/// cluster's (PTX ISA 8.6).
inline constexpr char kLoadsIntoOwnBlock[] = "fairlead.loads_into_own_block";

/// Replaces the operation by PTX if it is one of these; returns false for others. `b` inserts
/// before it. They need compute capability 9.0.
bool lowerAsyncOp(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ASYNCOPS_H_
