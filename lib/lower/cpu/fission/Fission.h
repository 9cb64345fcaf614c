/// Kernels whose threads wait for each other, in loops: the work between two barriers is a loop
/// over the block's threads, and between two warp collectives a loop over a warp's lanes.
#ifndef FAIRLEAD_LIB_LOWER_CPU_FISSION_FISSION_H_
#define FAIRLEAD_LIB_LOWER_CPU_FISSION_FISSION_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace fairlead::lower {

/// Adds a FairleadCpuKernel under the kernel's name to the module. Requires that a block's threads
/// provably take the control flow around barriers together, that warps do so around their warp
/// collectives, and that threads do not keep too much data between loops. Otherwise returns false;
/// the kernel is then unchanged except for the address space of its shared memory.
bool buildFissionedFunction(mlir::gpu::GPUFuncOp kernel, mlir::ModuleOp module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_FISSION_FISSION_H_
