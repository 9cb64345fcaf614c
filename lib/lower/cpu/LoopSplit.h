/// Loops inside a thread that are better turned inside out: neighbouring threads read neighbouring
/// elements, so for each round of the loop a loop over the threads vectorizes, while the rounds of
/// one thread would stride through memory.
#ifndef FAIRLEAD_LIB_LOWER_CPU_LOOPSPLIT_H_
#define FAIRLEAD_LIB_LOWER_CPU_LOOPSPLIT_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// On loops that all threads of the block go through together, round by round, as if a barrier
/// stood in them.
inline constexpr char kSplitAttribute[] = "fairlead.split";

/// Marks the loops of a kernel that are worth it: all threads make the same rounds, nothing in them
/// waits or prints, and memory is read and written at places next to each other by threads next to
/// each other. `for j in range(threadIdx.x + first, end, step)` becomes a loop over `first` with
/// `if (threadIdx.x < end - first)` in it. Returns whether there are any.
bool markSplitLoops(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_LOOPSPLIT_H_
