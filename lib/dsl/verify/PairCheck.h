/// Pairs of blocks, which some instructions on tensor memory are of. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_VERIFY_PAIRCHECK_H_
#define FAIRLEAD_LIB_DSL_VERIFY_PAIRCHECK_H_

#include <array>
#include <optional>

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Throws PairsMixed if instructions on tensor memory of the kernel are of pairs and others of one
/// block. Throws PairsInCluster if some are of pairs, and the launch's cluster is known to have an
/// odd number of blocks. `cluster`: its extents as far as they are constants.
void checkPairs(mlir::gpu::GPUFuncOp kernel, const std::array<std::optional<int64_t>, 3> &cluster);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_VERIFY_PAIRCHECK_H_
