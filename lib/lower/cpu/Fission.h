/// Kernels whose threads wait for each other, in loops: the work between two barriers is a loop
/// over the block's threads, and between two warp collectives a loop over a warp's lanes.
#ifndef FAIRLEAD_LIB_LOWER_CPU_FISSION_H
#define FAIRLEAD_LIB_LOWER_CPU_FISSION_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace fairlead::lower {

/// Adds to the module a FairleadCpuKernel under the kernel's name, if all its barriers provably lie
/// in control flow that a block's threads go through together, its warp collectives in control flow
/// that whole warps go through together, and what threads keep from loop to loop is not too much.
/// False when not: the kernel is as it was but for the address space of its shared memory.
bool buildFissionedFunction(mlir::gpu::GPUFuncOp kernel, mlir::ModuleOp module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_FISSION_H
