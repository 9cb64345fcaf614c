/// Clusters and dependent launches on the CPU, where every block is a cluster of its own and a
/// kernel starts when those before it have ended.
#ifndef FAIRLEAD_LIB_LOWER_CPU_CLUSTEROPS_H
#define FAIRLEAD_LIB_LOWER_CPU_CLUSTEROPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Rewrites a kernel's cluster operations, elections and dependencies of grids to what is left of
/// them: block indices, barriers of the block, the first lane of a warp, nothing.
void lowerClusterOps(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_CLUSTEROPS_H
