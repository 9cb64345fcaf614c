/// Recognises the bounds check around a kernel's body, `if (base + threadIdx.x < n)`, which becomes
/// the end of the thread loop.
#pragma once

#include <optional>

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace fairlead::lower {

/// `sum(terms) + threadIdx.x < bound && uniform...`
struct ThreadBound {
  llvm::SmallVector<mlir::Value> terms;   ///< signed integers that do not depend on threadIdx.x
  mlir::Value bound;                      ///< likewise
  bool inclusive = false;                 ///< `<=` instead of `<`
  bool exact = false;                     ///< `==` instead of `<`
  llvm::SmallVector<mlir::Value> uniform; ///< further conditions that do not depend on threadIdx.x
};

/// Matches a condition; nothing if it has another form. `varying` is true for values that depend on
/// threadIdx.x.
std::optional<ThreadBound> matchThreadBound(mlir::Value condition,
                                            llvm::function_ref<bool(mlir::Value)> varying);

/// A kernel whose work is all inside `if` with such a condition, with only pure operations before.
struct ThreadGuard : ThreadBound {
  mlir::scf::IfOp branch;
  llvm::DenseSet<mlir::Operation *> varying; ///< operations of the body that depend on threadIdx.x
};

/// Matches a kernel; nothing if it has another form.
std::optional<ThreadGuard> matchThreadGuard(mlir::gpu::GPUFuncOp kernel);

/// True if the branch has no results and no else region with operations.
bool isBareBranch(mlir::scf::IfOp branch);

} // namespace fairlead::lower
