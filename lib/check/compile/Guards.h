/// Guards of accesses (`--check guards`): fairlead.guard before each access that may be out of
/// bounds. Where no memory decides the address, the host proves before a launch that all threads
/// stay in bounds. If it cannot, a dry run of the kernel checks each of them. In programs that only
/// warn of loads beyond tensors, a copy of the kernel with guards runs for these instead.
#pragma once

#include <map>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

#include "ir/Ops.h"

namespace fairlead::check {

/// Attribute of kernels, a string: the kernel's name for messages.
inline constexpr char kShownNameAttribute[] = "fairlead.shown_name";
/// Attribute of parameters that guards have added to a kernel, the number of a parameter: they
/// are the begin and the end of its memory in bytes from its value, and its FairleadTensorTable.
inline constexpr char kBoundsOfAttribute[] = "fairlead.bounds_of";

/// Makes guards of one line and one memory, at constant distances in one block, one guard, and
/// removes guards that an enclosing one covers. Returns the guards that cover removed ones.
llvm::DenseMap<mlir::Operation *, mlir::Operation *> mergeGuards(mlir::Block &block);

/// Completes programs whose kernels have guards: launches pass the bounds of memory, and run the
/// kernel without the guards that the host can prove. Also guards the accesses of host functions.
void finishGuards(mlir::ModuleOp module);

/// A memory in bytes (i64) from the root of its addresses.
struct MemoryBounds {
  mlir::Value low, high;
  mlir::Value table; ///< of the tensor, as in fairlead.guard
};

/// Emits the memory of a tensor at its note, from its base on; in host functions with a table.
MemoryBounds emitMemory(ir::TensorOp note);
/// Fills the table of a memory, in each block that uses it.
void fillTable(ir::TensorOp note, const MemoryBounds &memory);

/// Removes the notes for guards from a program that has none.
void removeGuardNotes(mlir::ModuleOp module);

/// Lowers a guard in a function that runs a block or a thread of one. The arguments from the second
/// on are the launch and the block's index.
void lowerGuard(mlir::Operation *guard);

/// Emits a FairleadWrongAccess at the insertion point of `stack`. The numbers are i64.
mlir::Value wrongAccess(mlir::ImplicitLocOpBuilder &b, mlir::OpBuilder stack, mlir::Value site,
                        mlir::Value table, mlir::ArrayRef<mlir::Value> offsetBytesSize);

/// Emits the bytes (i64) from `base` to an address that is computed from it by steps and casts.
mlir::Value distanceFrom(mlir::ImplicitLocOpBuilder &b, mlir::Value base, mlir::Value address);

/// The memory of the tensor parameters of a host function.
class HostMemories {
public:
  using Value = mlir::Value;
  explicit HostMemories(mlir::Operation *host);

  /// Extents of tensors that are no constants. Calls check that none is negative.
  mlir::ArrayRef<Value> extents() const { return tensorExtents; }

  /// Emits begin, end and table of the memory that an address of the host function points into, as
  /// for kBoundsOfAttribute. Bounds of memory that is not known hold every address.
  llvm::SmallVector<Value> boundsOf(mlir::ImplicitLocOpBuilder &b, Value address) const;
  /// Makes accesses out of bounds raise an error, and use spare memory instead.
  void guardAccesses();
  /// Fills the tables that are used, and removes the notes of tracing.
  void finish();

private:
  struct HostAccess {
    mlir::Operation *op;
    mlir::OpOperand *address;
    mlir::Type type;
  };
  ir::GuardOp makeGuard(const HostAccess &access, int64_t bytes);
  Value raiseUnlessInside(ir::GuardOp guard);
  llvm::StringRef siteSymbol(mlir::ImplicitLocOpBuilder &b, const std::string &site);

  mlir::Operation *host;
  /// Tensors and their memory by the roots of addresses.
  llvm::MapVector<Value, std::pair<ir::TensorOp, MemoryBounds>> memories;
  llvm::SmallVector<Value> tensorExtents;
  std::map<std::string, std::string> sites; ///< symbols by texts
};

} // namespace fairlead::check
