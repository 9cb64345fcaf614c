/// Dry runs of kernels: they compute the addresses that no memory decides, and check them.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "ir/Ops.h"

namespace fairlead::check {

/// Finds the values of a kernel that depend only on its arguments and on the indices of threads,
/// and not on memory or on other threads.
class ComputedValues {
public:
  using Operation = mlir::Operation;
  using Value = mlir::Value;
  explicit ComputedValues(mlir::gpu::GPUFuncOp kernel);

  /// True if a dry run knows whether the guard is reached, and its numbers.
  bool has(ir::GuardOp guard) const;
  /// True if a dry run knows the guard's numbers.
  bool hasNumbers(ir::GuardOp guard) const { return areComputed(guard->getOperands()); }

private:
  bool note(Operation *op);
  bool noteIf(Operation *op);
  bool noteFor(Operation *op);
  bool noteWhile(Operation *op);
  bool mark(mlir::ValueRange values);
  bool isComputed(Value value) const { return !others.contains(value); }
  bool areComputed(mlir::ValueRange values) const;

  llvm::DenseSet<Value> others;
};

/// The end of the names of dry runs.
inline constexpr char kDryRunSuffix[] = ".dry_run";

/// The end of the names of kernels that are copies of other ones and have more guards.
inline constexpr char kGuardedSuffix[] = ".guarded";

/// Makes a copy of the kernel that has these guards, the operations that they need, and nothing
/// else. The guards are in ComputedValues.
mlir::gpu::GPUFuncOp makeDryRun(mlir::gpu::GPUFuncOp kernel,
                                const llvm::DenseSet<mlir::Operation *> &guards);

} // namespace fairlead::check
