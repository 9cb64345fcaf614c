/// CPU implementations of operations that only a GPU has: an MLIR interface, whose models are the
/// files of this folder, one for each operation. The passes for the CPU use it and the interfaces
/// of lib/ir; none of them names an operation.
#pragma once

#include <optional>

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"

#include "ir/Interfaces.h"
#include "lower/common/Divergence.h"

namespace fairlead::check {
class CheckBuilder;
}

namespace fairlead::lower {

using check::CheckBuilder;

class CpuOp;
class FissionBuilder;
class ThreadBuilder;
class Uniformity;

using ir::Scope;

/// How a CPU executes an operation.
enum class CpuForm : uint8_t {
  None,      ///< not at all: a diagnostic
  Rewritten, ///< by other operations that take its place before all else: `rewrite`
  Emitted,   ///< by what `emitTogether` or `emitThread` writes
};

/// The model of one kind of operation; `op` is always of that kind. MLIR frees models without a
/// destructor: they have no state.
class CpuModel {
public:
  using Interface = CpuOp;

  virtual CpuForm cpuForm(mlir::Operation *) const { return CpuForm::Rewritten; }
  /// How its results differ from thread to thread, in a kernel of `threads` a block.
  virtual Divergence divergence(mlir::Operation *op, const Uniformity &uniform,
                                std::optional<int64_t> threads) const;

  /// Replaces it by other operations (CpuForm::Rewritten); `b` inserts before it.
  virtual void rewrite(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b) const;
  /// Emits it for all threads of the scope at once (CpuForm::Emitted), if they provably reach it
  /// together: for a warp, whose lanes' values are vectors, or for the whole block.
  virtual void emitTogether(mlir::Operation *op, FissionBuilder &builder) const;
  /// Emits it for one thread, which is suspended while it waits for the others
  /// (CpuForm::Emitted). Returns the op's result, or null if it has none.
  virtual mlir::Value emitThread(mlir::Operation *op, ThreadBuilder &builder) const;

  /// In a program with checks: checks its accesses and reports them to the runtime. The builder's
  /// insertion point is before it.
  virtual void checkAccesses(mlir::Operation *, CheckBuilder &) const {}
  /// Reports how it orders threads, in a program whose checks need that (CheckBuilder::orders).
  virtual void tellOrder(mlir::Operation *, CheckBuilder &) const {}

protected:
  ~CpuModel() = default;
};

/// The base of a model; `Op` is the MLIR operation that it is for.
template <typename Op> class CpuModelOf : public CpuModel {
public:
  using ConcreteEntity = Op;
};

/// The base of a model of an operation that is emitted.
template <typename Op> class EmittedModelOf : public CpuModelOf<Op> {
public:
  CpuForm cpuForm(mlir::Operation *) const override { return CpuForm::Emitted; }
};

struct CpuModelTraits {
  using Concept = CpuModel;
  // MLIR names these, and needs none where models are attached from outside.
  template <typename Op> class Model;
  template <typename Op> class FallbackModel;
  template <typename Model, typename Op> class ExternalModel;
};

/// An operation that has a model.
class CpuOp : public mlir::OpInterface<CpuOp, CpuModelTraits> {
public:
  using mlir::OpInterface<CpuOp, CpuModelTraits>::OpInterface;

  CpuForm cpuForm() const { return getImpl()->cpuForm(*this); }
  Divergence divergence(const Uniformity &uniform, std::optional<int64_t> threads) const {
    return getImpl()->divergence(*this, uniform, threads);
  }
  void rewrite(mlir::ImplicitLocOpBuilder &b) { getImpl()->rewrite(*this, b); }
  void emitTogether(FissionBuilder &builder) { getImpl()->emitTogether(*this, builder); }
  mlir::Value emitThread(ThreadBuilder &builder) { return getImpl()->emitThread(*this, builder); }
  void checkAccesses(CheckBuilder &checks) { getImpl()->checkAccesses(*this, checks); }
  void tellOrder(CheckBuilder &checks) { getImpl()->tellOrder(*this, checks); }
};

/// True if a collective operation is in `root`, itself included, of this scope or a wider one.
bool holdsCollective(mlir::Operation *root, Scope least = Scope::Lane);

/// Adds the checks of an operation that has a model; does nothing for others. The builder's
/// insertion point is before the operation.
void addModelChecks(mlir::Operation *op, CheckBuilder &checks);

/// Does the operations that are rewritten (CpuForm::Rewritten).
void rewriteCollectives(mlir::Operation *kernel);

} // namespace fairlead::lower

MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::lower::CpuOp)
