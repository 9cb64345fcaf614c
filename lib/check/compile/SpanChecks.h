/// Checks of a loop over threads that are made once, before it, for all threads and rounds: where
/// an index or an address is an affine map of these (`--check`).
#pragma once

#include <functional>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "runtime/RuntimeFunctions.h"

namespace fairlead::check {

/// Attribute of the branch that KernelChecks builds for a checked index; its then region yields the
/// address.
inline constexpr char kInsideAttribute[] = "fairlead.inside";

/// Emits checks that cover all iterations of a loop over threads at once.
class SpanChecks {
public:
  using Value = mlir::Value;
  /// Threads (first + x, y, z) with x, y, z below `count`, all i32.
  struct Threads {
    Value first, count[3];
  };
  /// `scalarOf` returns a value as a scalar if all threads share it, or null; `makeArray` allocates
  /// memory for a number of i64.
  /// `step` is a number above 0 that is unique in the kernel.
  SpanChecks(mlir::ImplicitLocOpBuilder &b, const Threads &threads, int32_t step,
             std::function<Value(Value)> scalarOf, std::function<Value(int64_t)> makeArray)
      : b(b), threads(threads), step(step), scalarOf(std::move(scalarOf)),
        makeArray(std::move(makeArray)) {}

  /// Emits an i1 that is true if all checks in `ops` pass; returns null if none can be combined. If
  /// they pass, `strip` may be called on copies of the operations.
  Value emit(llvm::ArrayRef<mlir::Operation *> ops);

  /// Removes the combined checks from a copy of one of the operations.
  static void strip(mlir::Operation *copy);
  /// True if the operation is itself a combined check; `passed` returns its value, if any.
  static bool isMade(mlir::Operation *op);
  static Value passed(mlir::Operation *op);
  /// Removes the attributes that `emit` set.
  static void forget(llvm::ArrayRef<mlir::Operation *> ops);

private:
  /// Threads in x, y and z, then two loops.
  static constexpr int kDimensions = 5, kThreadDimensions = 3;
  using Dimensions = std::optional<unsigned>; ///< a bit for each that a value depends on; or none

  /// One check, and the loops around it.
  struct Check {
    mlir::Operation *op;
    llvm::SmallVector<mlir::scf::ForOp> loops;
    llvm::SmallVector<mlir::scf::IfOp> branches; ///< that have to be taken
  };
  /// The thread and the iterations that a value belongs to.
  struct Point {
    Value thread[kThreadDimensions];
    llvm::SmallVector<std::pair<Value, Value>> inductions;
    llvm::DenseMap<Value, Value> known;
  };
  /// The range of a value over all threads and iterations.
  struct Reach {
    Value low, high;
  };

  bool collect(mlir::Operation *op, Check path);
  bool canMake(const Check &check);
  bool canTake(mlir::scf::IfOp branch);
  Dimensions dimensionsOf(Value value);
  Value evaluate(Value value, Point &point);
  Point pointAt(unsigned steps, bool last);
  Value roundsOf(mlir::scf::ForOp loop);
  void enter(const Check &check);
  Value number(Value value);
  Value difference(Value value, Point &first, int dimension);
  Reach reachOf(Value value);
  void require(Value condition);
  void requireTrue(Value condition);
  void requireInside(mlir::scf::IfOp inside);
  void requireRange(mlir::LLVM::CallOp range);
  bool isSameInBlocks(const Check &check);
  bool isOfLaunch(Value value);
  Value tell(llvm::ArrayRef<const Check *> spans, Value array);
  Value callSpans(const RuntimeFunction &function, llvm::ArrayRef<Value> what);
  void fill(Value array, int64_t at, Value value);
  void fillSpan(Value array, int64_t at, mlir::Operation *op);
  Value i64(int64_t value);

  mlir::ImplicitLocOpBuilder &b;
  Threads threads;
  int32_t step;
  std::function<Value(Value)> scalarOf;
  std::function<Value(int64_t)> makeArray;

  llvm::SmallVector<Check> checks;
  bool ordered = false; ///< there is something that orders single threads
  bool accesses = false, allAccesses = true;
  llvm::ArrayRef<mlir::scf::ForOp> loops; ///< around the check that is looked at
  llvm::SmallVector<Value> rounds;        ///< of these
  llvm::DenseMap<Value, bool> ofLaunch;   ///< what isOfLaunch found
  Value passes;
};

} // namespace fairlead::check
