/// Barriers that some threads of a block, and work of warps that some lanes never reach. Internal
/// to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_BARRIERCHECK_H_
#define FAIRLEAD_LIB_DSL_BARRIERCHECK_H_

#include <array>

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// Throws DivergentBarrier where a barrier of the whole block stands in a branch on a thread index
/// that splits a block of these extents, the other side of the branch has none, and its threads go
/// on; DivergentWarp likewise for what takes the lanes of a warp together, where the branch splits
/// one. What is not certain is left to the run: computed conditions, barriers with a number of
/// threads, masks that are not constant, branches in loops.
void checkBarriers(mlir::gpu::GPUFuncOp kernel, const std::array<int64_t, 3> &block);

/// Throws ArgumentValue for a constant that is no number of a barrier: a block has 16.
void requireBarrierNumber(mlir::Value number);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_BARRIERCHECK_H_
