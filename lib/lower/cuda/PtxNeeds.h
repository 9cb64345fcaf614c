/// The PTX ISA of operations. The lowest sufficient one is written, since old drivers take it.
#ifndef FAIRLEAD_LIB_LOWER_CUDA_PTXNEEDS_H_
#define FAIRLEAD_LIB_LOWER_CUDA_PTXNEEDS_H_

#include "mlir/IR/Operation.h"

namespace fairlead::lower {

/// Returns the least PTX ISA that has an operation's instruction, 10 * major + minor. Inline PTX,
/// that of the user and of lib/dsl, is searched for instructions that came later.
int leastPtxOf(mlir::Operation *op);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CUDA_PTXNEEDS_H_
