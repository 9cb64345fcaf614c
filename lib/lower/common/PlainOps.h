/// Operations that depend on their operands alone.
#ifndef FAIRLEAD_LIB_LOWER_COMMON_PLAINOPS_H_
#define FAIRLEAD_LIB_LOWER_COMMON_PLAINOPS_H_

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/Interfaces.h"

namespace fairlead::lower {

/// True if the operation has no regions and no effects, and no other threads take part: the same
/// operands give the same result anywhere.
inline bool isPlain(mlir::Operation *op) {
  return op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op) &&
         !mlir::isa<mlir::LLVM::AllocaOp>(op) && !mlir::isa<ir::CollectiveOp>(op);
}

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_COMMON_PLAINOPS_H_
