/// Memory of a thread of its own (register tensors) whose places are known when compiling.
#ifndef FAIRLEAD_LIB_LOWER_CPU_OWNMEMORY_H
#define FAIRLEAD_LIB_LOWER_CPU_OWNMEMORY_H

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

/// The piece of memory that an address lies in, and how many bytes behind its start; nothing where
/// one of them is not known.
std::optional<std::pair<mlir::LLVM::AllocaOp, int64_t>> ownPlace(mlir::Value address);

/// All accesses, if their places are known and nothing else uses the memory.
std::optional<llvm::SmallVector<OwnAccess>> ownAccesses(mlir::LLVM::AllocaOp memory);

/// Which memory no loop over threads finds as another one left it: a thread writes before it reads,
/// in each of the loops that fission makes of a kernel. All threads can use the same, which LLVM
/// keeps in registers.
class OwnMemoryUse {
public:
  explicit OwnMemoryUse(mlir::gpu::GPUFuncOp kernel);

  bool startsAnew(llvm::ArrayRef<OwnAccess> accesses) const;
  bool startsAnew(mlir::LLVM::AllocaOp memory) const;

private:
  void number(mlir::Block &block);
  /// The operation around it, or itself, that the loops consist of; null outside of them.
  mlir::Operation *part(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Operation *, unsigned> loops; ///< of each part
  unsigned count = 0;
};

/// Gives what a thread wrote to its memory to the reads that follow in the same block, as far as no
/// thread waits in between, and drops what it writes over.
void forwardOwnMemory(mlir::gpu::GPUFuncOp kernel);

/// Moves the parts of a kernel's memory that start anew in each loop apart from those that last.
void splitOwnMemory(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_OWNMEMORY_H
