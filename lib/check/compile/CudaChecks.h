/// Kernels that check themselves while they run on a GPU (`--check bounds`). Internal to
/// lib/check.
#ifndef FAIRLEAD_LIB_CHECK_COMPILE_CUDACHECKS_H_
#define FAIRLEAD_LIB_CHECK_COMPILE_CUDACHECKS_H_

#include "mlir/IR/BuiltinOps.h"

namespace fairlead::check {

/// Makes kernels of a program traced with checks (ir::kChecksAttribute) stop with a message
/// (fairlead/CheckCuda.h) if an index or an address is out of bounds, or an assertion fails.
/// Does nothing to other programs. Call it before launches are lowered.
void addCudaChecks(mlir::ModuleOp module);

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_COMPILE_CUDACHECKS_H_
