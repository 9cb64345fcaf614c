/// Barriers that some threads of a block never reach, and operations of warps that some lanes never
/// reach. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_VERIFY_BARRIERCHECK_H_
#define FAIRLEAD_LIB_DSL_VERIFY_BARRIERCHECK_H_

#include <array>

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Throws DivergentBarrier if a branch on a thread index splits a block of these extents, one side
/// has a barrier of the whole block, and the threads of the other side continue without one.
/// Throws DivergentWarp if such a branch splits a warp that has to execute an operation together.
/// Uncertain cases are left to the run: computed conditions, barriers with a number of threads,
/// masks that are not constant, branches in loops.
void checkBarriers(mlir::gpu::GPUFuncOp kernel, const std::array<int64_t, 3> &block);

/// Throws ArgumentValue for a constant that is not the number of a barrier: a block has 16.
void requireBarrierNumber(mlir::Value number);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_VERIFY_BARRIERCHECK_H_
