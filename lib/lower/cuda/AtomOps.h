/// What the operations of atoms (dsl/atom/AtomOps.h) are on NVIDIA GPUs.
#ifndef FAIRLEAD_LIB_LOWER_CUDA_ATOMOPS_H
#define FAIRLEAD_LIB_LOWER_CUDA_ATOMOPS_H

#include <string>

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Replaces them by LLVM's intrinsics, and returns the least PTX ISA that those need, 10 * major +
/// minor; 0 for any. Throws fairlead::Error (CompileFailed) for an instruction that the
/// architecture
/// ("sm_80") has not.
int lowerAtomOps(mlir::gpu::GPUModuleOp device, const std::string &arch);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CUDA_ATOMOPS_H
