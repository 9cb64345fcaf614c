/// The use that operations make of memory.
#pragma once

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fairlead::ir {

/// The use of the memory at an operand, as the operation's memory effects state it. An operation
/// that states no effects may do anything.
struct MemoryUse {
  static MemoryUse of(mlir::OpOperand &operand);

  bool reads = false, writes = false;
  /// True if the operation may keep the operand itself, as a store keeps its value.
  bool escapes = false;
};

/// The uses that an operation makes of the memory at its operands. Its effects are read once.
class MemoryUses {
public:
  explicit MemoryUses(mlir::Operation *op);

  MemoryUse at(mlir::OpOperand &operand) const;

private:
  bool isUnknown = false;    ///< true if the operation may do anything
  bool writesMemory = false; ///< true if it states a write, of no operand perhaps
  llvm::SmallVector<mlir::MemoryEffects::EffectInstance, 4> effects;
};

/// True for arithmetic and for steps of an address, the most frequent operations of a program.
/// They have no effect.
bool isArithmetic(mlir::Operation *op);

/// True if the operation states that it accesses memory at one of its operands.
bool accessesMemory(mlir::Operation *op);

/// True if the operation allocates memory that may hold its operands, as a tensor map holds an
/// address.
bool holdsOperands(mlir::Operation *op);

/// True if the operation's results may be addresses that are computed from its operands.
bool computesAddress(mlir::Operation *op);

} // namespace fairlead::ir
