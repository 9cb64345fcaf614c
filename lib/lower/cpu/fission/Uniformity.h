/// Finds values of a kernel that are the same for all threads of a block, a warpgroup or a warp.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include "lower/common/Divergence.h"
#include "lower/common/PlainOps.h"

namespace fairlead::lower {

/// A static proof. Parameters, constants and block indices are uniform, and so are results of pure
/// operations and uniform control flow on uniform values. Loads are not: other threads may store
/// to the address.
class Uniformity {
public:
  explicit Uniformity(mlir::gpu::GPUFuncOp kernel);

  Divergence of(mlir::Value value) const {
    auto entry = divergences.find(value);
    return entry == divergences.end() ? Divergence::Block : entry->second;
  }
  bool inBlock(mlir::Value value) const { return of(value) == Divergence::Block; }
  bool inWarp(mlir::Value value) const { return isSameInWarp(of(value)); }

  /// True if few pure operations compute the value from thread indices and uniform values: it is
  /// cheaper to recompute than to store.
  bool cheap(mlir::Value value) const { return cost.contains(value); }

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation &op);
  void visit(mlir::scf::IfOp op);
  void visit(mlir::scf::ForOp op);
  void visit(mlir::scf::WhileOp op);
  Divergence ofPure(mlir::Operation &op) const;
  Divergence ofThreadId(mlir::gpu::ThreadIdOp id) const;
  Divergence ofSum(mlir::Value index, mlir::Value other) const;
  Divergence ofQuotient(mlir::Value index, int64_t divisor) const;
  Divergence ofComparison(mlir::Value index, mlir::Value bound) const;
  bool isMultiple(mlir::Value value, int64_t factor, int depth = 0) const;
  bool isLinearIndex(mlir::Operation &op) const;
  void raise(mlir::Value value, Divergence divergence);
  void estimate(mlir::Operation *op);

  std::optional<mlir::ArrayRef<int32_t>> extents;      ///< of the block, when known
  std::optional<int64_t> threads;                      ///< of the block, when known
  llvm::DenseMap<mlir::Value, Divergence> divergences; ///< those above Divergence::Block
  llvm::DenseMap<mlir::Value, unsigned> cost;
  bool changed = false;
};

/// Returns the number of threads in a kernel's blocks, if known.
std::optional<int64_t> blockThreads(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
