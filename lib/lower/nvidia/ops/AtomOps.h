/// Lowering of the dialect's operations for NVIDIA GPUs.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Operation.h"

namespace fairlead::lower {

/// Replaces the dialect's operations by LLVM's intrinsics. Returns the least PTX ISA that the
/// intrinsics need, 10 * major + minor; 0 for any. Tracing has already checked that the
/// architecture has them.
int lowerAtomOps(mlir::gpu::GPUModuleOp device);

/// On a device module: loads into the running block's shared memory name it instead of the
/// cluster's (PTX ISA 8.6).
inline constexpr char kLoadsIntoOwnBlock[] = "fairlead.loads_into_own_block";

/// On a device module: the code is for a family of architectures, whose PTX says how many elements
/// share a scale factor, not how many factors a row has.
inline constexpr char kForFamily[] = "fairlead.for_family";

/// Replaces the operation by inline PTX if it is of a warpgroup, an asynchronous copy, or of the
/// barriers of these; returns false for others. `b` inserts before it. They need compute
/// capability 9.0.
bool lowerAsyncOp(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b);

/// Replaces an operation on tensor memory by inline PTX; returns false for other operations. `b`
/// inserts before it. LLVM's intrinsics do not work here: LLVM moves accesses of shared memory
/// across them.
bool lowerTensorMemoryOp(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b);

/// Rewrites exp, exp2, log and log2 of Float32 in kernels under `device` that are marked as fast.
void useFastInstructions(mlir::Operation *device);

} // namespace fairlead::lower
