/// Lowering of the dialect's operations for NVIDIA GPUs.
#ifndef FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ATOMOPS_H_
#define FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ATOMOPS_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Replaces them by LLVM's intrinsics. Returns the least PTX ISA that the intrinsics need, 10 *
/// major + minor; 0 for any. Tracing has already checked that the architecture has them.
int lowerAtomOps(mlir::gpu::GPUModuleOp device);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_NVIDIA_OPS_ATOMOPS_H_
