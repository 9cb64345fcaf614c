/// Loops in which a thread waits until another one has written to memory.
#ifndef FAIRLEAD_LIB_LOWER_CPU_SPINLOOPS_H_
#define FAIRLEAD_LIB_LOWER_CPU_SPINLOOPS_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Suspends the thread in each iteration of these loops, as a test of an mbarrier does whose
/// address is null: the CPU runs the threads of a block one at a time.
void suspendSpinLoops(mlir::gpu::GPUModuleOp kernels);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_SPINLOOPS_H_
