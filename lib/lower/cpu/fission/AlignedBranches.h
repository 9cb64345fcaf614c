/// Branches and loops around operations that all lanes of a warp must reach.
#ifndef FAIRLEAD_LIB_LOWER_CPU_FISSION_ALIGNEDBRANCHES_H_
#define FAIRLEAD_LIB_LOWER_CPU_FISSION_ALIGNEDBRANCHES_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fairlead::lower {

/// Makes the control flow around aligned operations uniform in each warp, as PTX requires. If the
/// compiler cannot prove a condition uniform (for example a loaded one), the warp votes on it, and
/// loops use the first lane's bounds. Only for blocks whose number of threads is a multiple of the
/// warp size.
void alignBranches(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_FISSION_ALIGNEDBRANCHES_H_
