/// Operations of kernels that only GPUs have.
#ifndef FAIRLEAD_LIB_LOWER_CPU_LEGALITY_H_
#define FAIRLEAD_LIB_LOWER_CPU_LEGALITY_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Throws NoCpuForm for the first operation of a kernel that a CPU cannot execute: a GPU operation
/// without a model (collective/), one whose model has no CPU form, or a user's own PTX.
void checkCpuForms(mlir::gpu::GPUModuleOp kernels);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_LEGALITY_H_
