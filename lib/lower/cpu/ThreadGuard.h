/// The bounds check around a kernel's body, `if (base + threadIdx.x < n)`: recognised, it becomes
/// the end of the thread loop.
#ifndef FAIRLEAD_LIB_LOWER_CPU_THREADGUARD_H_
#define FAIRLEAD_LIB_LOWER_CPU_THREADGUARD_H_

#include <optional>

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace fairlead::lower {

/// A kernel whose work is all inside `if (sum(terms) + threadIdx.x < bound && uniform...)`, with
/// only pure operations before.
struct ThreadGuard {
  mlir::scf::IfOp branch;
  llvm::SmallVector<mlir::Value> terms;   ///< signed integers that do not depend on threadIdx.x
  mlir::Value bound;                      ///< likewise
  bool inclusive = false;                 ///< `<=` instead of `<`
  llvm::SmallVector<mlir::Value> uniform; ///< further conditions that do not depend on threadIdx.x
  llvm::DenseSet<mlir::Operation *> varying; ///< operations of the body that depend on threadIdx.x
};

/// Nothing when the kernel has another form.
std::optional<ThreadGuard> matchThreadGuard(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_THREADGUARD_H_
