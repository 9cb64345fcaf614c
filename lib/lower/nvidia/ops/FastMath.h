/// Instructions of GPUs for math operations that allow results of lower accuracy.
#ifndef FAIRLEAD_LIB_LOWER_NVIDIA_OPS_FASTMATH_H_
#define FAIRLEAD_LIB_LOWER_NVIDIA_OPS_FASTMATH_H_

#include "mlir/IR/Operation.h"

namespace fairlead::lower {

/// Rewrites exp, exp2, log and log2 of Float32 in kernels under `device` that are marked as fast.
void useFastInstructions(mlir::Operation *device);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_NVIDIA_OPS_FASTMATH_H_
