/// Private memory of a thread (register tensors) whose offsets are known at compile time.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace fairlead::lower {

/// A load or store of such memory: bytes from `begin` up to `end`.
struct OwnAccess {
  mlir::Operation *op;
  int64_t begin, end;

  bool writes() const { return mlir::isa<mlir::LLVM::StoreOp>(op); }
};

/// Returns the piece of memory that an address points into and its offset from the start in bytes;
/// nothing if either is unknown.
std::optional<std::pair<mlir::LLVM::AllocaOp, int64_t>> ownOffset(mlir::Value address);

/// Returns all accesses, if their offsets are known and nothing else uses the memory.
std::optional<llvm::SmallVector<OwnAccess>> ownAccesses(mlir::LLVM::AllocaOp memory);

/// Finds private memory that does not carry values from one loop over threads to another: in each
/// loop that fission makes of a kernel, a thread writes it before reading. All threads can then use
/// the same memory, which LLVM keeps in registers.
class OwnMemoryUse {
public:
  explicit OwnMemoryUse(mlir::gpu::GPUFuncOp kernel);

  bool startsAnew(llvm::ArrayRef<OwnAccess> accesses) const;
  bool startsAnew(mlir::LLVM::AllocaOp memory) const;

private:
  void number(mlir::Block &block);
  /// Returns the part of a loop over threads that is or contains the operation; null outside loops.
  mlir::Operation *part(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Operation *, unsigned> loops; ///< of each part
  unsigned count = 0;
};

/// Forwards a thread's stores to its private memory to later loads of the same block, if no thread
/// waits in between. Drops stores that are overwritten.
void forwardOwnMemory(mlir::gpu::GPUFuncOp kernel);

/// Separates the parts of private memory that each loop overwrites from parts that keep values.
void splitOwnMemory(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
