/// Operations of kernels that only GPUs have.
#ifndef FAIRLEAD_LIB_LOWER_CPU_LEGALITY_H
#define FAIRLEAD_LIB_LOWER_CPU_LEGALITY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Throws NoCpuForm for the first operation of a kernel that a CPU cannot do: one of a GPU without
/// a model (collective/), or of which the model has no form for it, and PTX that a user wrote.
void checkCpuForms(mlir::gpu::GPUModuleOp kernels);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_LEGALITY_H
