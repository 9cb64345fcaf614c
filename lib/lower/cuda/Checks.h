/// Kernels that watch themselves while they run on a GPU (`--check bounds`). Internal to
/// lib/lower/cuda.
#ifndef FAIRLEAD_LIB_LOWER_CUDA_CHECKS_H
#define FAIRLEAD_LIB_LOWER_CUDA_CHECKS_H

#include "mlir/IR/BuiltinOps.h"

namespace fairlead::lower {

/// In a program that was traced with checks (ir::kChecksAttribute), has kernels stop where an index
/// or an address is out of bounds or an assertion fails, with a message (fairlead/CheckCuda.h).
/// Does nothing to others. Before launches are lowered.
void addCudaChecks(mlir::ModuleOp module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CUDA_CHECKS_H
