/// What the compiler knows of the operations that threads do together, and of the others that only
/// a GPU has: an MLIR interface, whose models are the files of this folder, one for an operation.
/// The passes for the CPU ask it; none of them names an operation.
#ifndef FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_COLLECTIVE_H
#define FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_COLLECTIVE_H

#include <optional>

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/BitmaskEnum.h"

#include "lower/cpu/Divergence.h"

namespace fairlead::lower {

class CollectiveOp;
class FissionBuilder;
class ThreadBuilder;
class Uniformity;

/// The threads that an operation is for: all of them that take part have to come to it.
enum class Scope : uint8_t { Lane, Warp, Warpgroup, Block, Cluster };

LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

/// What an operation does to what threads share, besides handing values from one to another.
enum class Effects : uint8_t {
  None = 0,
  ReadsShared = 1,  ///< elements of shared memory
  WritesShared = 2, ///< likewise
  Arrives = 4,      ///< at a barrier, where others may wait for it
  Waits = 8,        ///< until others have arrived or handed over their values
  LLVM_MARK_AS_BITMASK_ENUM(/*LargestValue=*/Waits)
};

/// How an operation is done on a CPU.
enum class CpuForm : uint8_t {
  None,      ///< not at all: a diagnostic
  Rewritten, ///< by other operations that take its place before all else: `rewrite`
  Emitted,   ///< by what `emitTogether` or `emitThread` writes
};

/// What one kind of operation is; `op` is always of that kind. MLIR frees models without a
/// destructor: they have no state.
class CollectiveModel {
public:
  using Interface = CollectiveOp;

  virtual Scope scope(mlir::Operation *op) const = 0;
  virtual Effects effects(mlir::Operation *op) const = 0;
  virtual CpuForm cpuForm(mlir::Operation *op) const = 0;

  /// Participants: whether they are provably all threads of the scope that are there, in a block of
  /// `threads` (nothing: not known).
  virtual bool takesAll(mlir::Operation *op, std::optional<int64_t> threads) const;
  /// Whether PTX asks that all threads of the warp take the same way to it.
  virtual bool aligned(mlir::Operation *op) const;
  /// The operands that have to be the same in all threads of the scope.
  virtual mlir::SmallVector<mlir::Value> uniformOperands(mlir::Operation *op) const;
  /// How its results differ from thread to thread, in a kernel of `threads` a block.
  virtual Divergence divergence(mlir::Operation *op, const Uniformity &uniform,
                                std::optional<int64_t> threads) const;

  /// Puts other operations in its place (CpuForm::Rewritten); `b` stands before it.
  virtual void rewrite(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b) const;
  /// Writes it for all threads of the scope at once (CpuForm::Emitted), where they provably come to
  /// it together: for a warp, whose lanes' values are vectors, or for the whole block.
  virtual void emitTogether(mlir::Operation *op, FissionBuilder &builder) const;
  /// Writes it for one thread, which is suspended while it waits for the others
  /// (CpuForm::Emitted), and gives the op's result; null for one without.
  virtual mlir::Value emitThread(mlir::Operation *op, ThreadBuilder &builder) const;

protected:
  ~CollectiveModel() = default;
};

/// The base of a model; `Op` is the MLIR operation that it is for.
template <typename Op> class CollectiveModelOf : public CollectiveModel {
public:
  using ConcreteEntity = Op;
};

struct CollectiveTraits {
  using Concept = CollectiveModel;
  // MLIR names these, and needs none where models are attached from outside.
  template <typename Op> class Model;
  template <typename Op> class FallbackModel;
  template <typename Model, typename Op> class ExternalModel;
};

/// An operation that has a model.
class CollectiveOp : public mlir::OpInterface<CollectiveOp, CollectiveTraits> {
public:
  using mlir::OpInterface<CollectiveOp, CollectiveTraits>::OpInterface;

  Scope scope() const { return getImpl()->scope(*this); }
  Effects effects() const { return getImpl()->effects(*this); }
  CpuForm cpuForm() const { return getImpl()->cpuForm(*this); }
  bool takesAll(std::optional<int64_t> threads) const {
    return getImpl()->takesAll(*this, threads);
  }
  bool aligned() const { return getImpl()->aligned(*this); }
  mlir::SmallVector<mlir::Value> uniformOperands() const {
    return getImpl()->uniformOperands(*this);
  }
  Divergence divergence(const Uniformity &uniform, std::optional<int64_t> threads) const {
    return getImpl()->divergence(*this, uniform, threads);
  }
  void rewrite(mlir::ImplicitLocOpBuilder &b) { getImpl()->rewrite(*this, b); }
  void emitTogether(FissionBuilder &builder) { getImpl()->emitTogether(*this, builder); }
  mlir::Value emitThread(ThreadBuilder &builder) { return getImpl()->emitThread(*this, builder); }
};

/// The operation as one that threads do together, or that makes them wait for each other; null for
/// all others.
inline CollectiveOp asCollective(mlir::Operation *op) {
  auto collective = mlir::dyn_cast<CollectiveOp>(op);
  if (collective && (collective.scope() > Scope::Lane ||
                     (collective.effects() & Effects::Waits) != Effects::None))
    return collective;
  return {};
}

/// Whether such an operation is in `root`, itself included, of this scope or a wider one.
bool holdsCollective(mlir::Operation *root, Scope least = Scope::Lane);

/// Does the operations that are rewritten (CpuForm::Rewritten).
void rewriteCollectives(mlir::Operation *kernel);

} // namespace fairlead::lower

MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::lower::CollectiveOp)

#endif // FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_COLLECTIVE_H
