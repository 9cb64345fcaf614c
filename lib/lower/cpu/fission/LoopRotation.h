/// Loops with one barrier in the middle: { before(i); barrier; after(i) }.
#ifndef FAIRLEAD_LIB_LOWER_CPU_FISSION_LOOPROTATION_H_
#define FAIRLEAD_LIB_LOWER_CPU_FISSION_LOOPROTATION_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Rewrites them as before(0); { barrier; after(i); before(i + 1) }; barrier; after(n - 1). Each
/// iteration then has one loop over threads instead of two, and a thread reuses its cached data.
void rotateBarrierLoops(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_FISSION_LOOPROTATION_H_
