/// Branches and loops around operations that all lanes of a warp must reach.
#ifndef FAIRLEAD_LIB_LOWER_CPU_ALIGNEDBRANCHES_H
#define FAIRLEAD_LIB_LOWER_CPU_ALIGNEDBRANCHES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// PTX asks that all lanes of a warp take the same way to an aligned operation
/// (CollectiveModel::aligned). Where the compiler cannot prove that, as of conditions that are
/// loaded, votes of the warp take the place of conditions, and the first lane's bounds that of a
/// loop's. Of blocks of whole warps.
void alignBranches(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_ALIGNEDBRANCHES_H
