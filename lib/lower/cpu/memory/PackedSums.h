/// Multiply-adds of a thread, as products of fragments are traced: one for each element.
#ifndef FAIRLEAD_LIB_LOWER_CPU_MEMORY_PACKEDSUMS_H_
#define FAIRLEAD_LIB_LOWER_CPU_MEMORY_PACKEDSUMS_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Vectorizes them: sums[i + 0] += x[0] * y, sums[i + 1] += x[1] * y, ... in neighbouring elements
/// of a thread's private memory become one multiply-add of vectors. Each element's result stays the
/// same.
void packSums(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_MEMORY_PACKEDSUMS_H_
