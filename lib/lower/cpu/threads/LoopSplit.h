/// Loops of a thread that should be interchanged with the loop over threads. Neighbouring threads
/// read neighbouring elements, so an inner loop over threads vectorizes, while the iterations of
/// one thread would stride through memory.
#ifndef FAIRLEAD_LIB_LOWER_CPU_THREADS_LOOPSPLIT_H_
#define FAIRLEAD_LIB_LOWER_CPU_THREADS_LOOPSPLIT_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Marks loops that all threads of the block execute together, iteration by iteration, as if they
/// contained a barrier.
inline constexpr char kSplitAttribute[] = "fairlead.split";

/// Marks the loops of a kernel that benefit: all threads have the same iterations, nothing in them
/// waits or prints, and neighbouring threads access neighbouring addresses. Rewrites
/// `for j in range(threadIdx.x + first, end, step)` to a loop over `first` with
/// `if (threadIdx.x < end - first)` in it. Returns true if it marked any.
bool markSplitLoops(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_THREADS_LOOPSPLIT_H_
