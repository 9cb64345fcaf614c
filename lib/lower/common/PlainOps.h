/// Queries on operations and values.
#pragma once

#include <optional>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/Analysis/MemoryUse.h"
#include "ir/Interfaces.h"

namespace fairlead::lower {

/// True if the operation has no regions and no effects, and no other threads take part: the same
/// operands give the same result anywhere.
inline bool isPlain(mlir::Operation *op) {
  return ir::isArithmetic(op) ||
         (op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op) &&
          !mlir::isa<mlir::LLVM::AllocaOp>(op) && !mlir::isa<ir::CollectiveOp>(op));
}

/// Returns the value of an integer constant, or nothing.
inline std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt number;
  if (!mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

} // namespace fairlead::lower
