/// Which values of a kernel are the same for all threads of a block, or of a warp.
#ifndef FAIRLEAD_LIB_LOWER_CPU_UNIFORMITY_H
#define FAIRLEAD_LIB_LOWER_CPU_UNIFORMITY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace fairlead::lower {

/// How a value differs from thread to thread, where they run the same code.
enum class Spread : uint8_t {
  Block, ///< the same in all threads of a block
  Warp,  ///< the same in the lanes of a warp
  Lane,  ///< an integer 32 w + lane, with w the same in the lanes of a warp
  Any,
};

/// What is proven from the kernel's text: values of parameters, constants and block indices are
/// uniform, and what pure operations and uniform control flow make of them. Loads are not: other
/// threads may store there.
class Uniformity {
public:
  explicit Uniformity(mlir::gpu::GPUFuncOp kernel);

  Spread of(mlir::Value value) const {
    auto entry = spreads.find(value);
    return entry == spreads.end() ? Spread::Block : entry->second;
  }
  bool inBlock(mlir::Value value) const { return of(value) == Spread::Block; }
  bool inWarp(mlir::Value value) const { return of(value) <= Spread::Warp; }

  /// Whether it is the result of few pure operations on thread indices and uniform values: cheaper
  /// to compute again than to keep.
  bool cheap(mlir::Value value) const { return cost.contains(value); }

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation &op);
  void visit(mlir::scf::IfOp op);
  void visit(mlir::scf::ForOp op);
  void visit(mlir::scf::WhileOp op);
  Spread ofPure(mlir::Operation &op) const;
  Spread ofThreadId(mlir::gpu::ThreadIdOp id) const;
  bool isMultipleOfWarp(mlir::Value value, int depth = 0) const;
  bool isLinearIndex(mlir::Operation &op) const;
  bool readsOneLane(mlir::Operation &op) const;
  void raise(mlir::Value value, Spread spread);
  void estimate(mlir::Operation *op);

  std::optional<mlir::ArrayRef<int32_t>> extents; ///< of the block, when known
  llvm::DenseMap<mlir::Value, Spread> spreads;    ///< those above Spread::Block
  llvm::DenseMap<mlir::Value, unsigned> cost;
  bool changed = false;
};

/// No regions and no effects: the same operands give the same result anywhere.
bool isPlain(mlir::Operation *op);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_UNIFORMITY_H
