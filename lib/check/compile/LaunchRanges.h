/// Ranges of numbers of a kernel over all threads of a launch, computed by the host before it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include "check/compile/CheckedValues.h"
#include "ir/Ops.h"

namespace fairlead::check {

/// Numbers that the host computes: `number + constant`, of 64 bits. Equal sums are one value.
class HostNumbers {
public:
  using Value = mlir::Value;
  struct Sum {
    Value number; ///< null: 0
    int64_t constant = 0;
    bool operator==(const Sum &other) const {
      return number == other.number && constant == other.constant;
    }
  };
  /// Extents are numbers that are not negative.
  HostNumbers(mlir::ImplicitLocOpBuilder &b, mlir::ArrayRef<Value> extents);

  Sum add(Sum a, Sum b);
  Sum subtract(Sum a, Sum b);
  Sum multiply(Sum a, Sum b);
  Sum least(Sum a, Sum b) { return extreme<mlir::arith::MinSIOp>(a, b, a.constant < b.constant); }
  Sum greatest(Sum a, Sum b) {
    return extreme<mlir::arith::MaxSIOp>(a, b, a.constant > b.constant);
  }
  /// Rounded towards zero. The divisor counts as 1 if it is less.
  Sum divide(Sum a, Sum divisor);
  /// The least number of the form 2^k - 1 that is not below a number from 0 on.
  Sum fill(Sum a);
  Sum of(Value integer);
  Value emit(Sum sum);
  /// True only if one number is not above another one in any call.
  bool isNeverAbove(Sum less, Sum greater);

private:
  /// The sum of numbers times factors, and a constant.
  struct Terms {
    llvm::MapVector<Value, int64_t> factors;
    int64_t constant = 0;
  };
  /// Adds a number times a factor. Takes sums and products apart that do not overflow.
  void add(Terms &terms, Value number, int64_t factor);
  bool isNeverPositive(Terms terms, int depth);
  /// Returns the largest absolute value of a number that is computed from numbers of at most 32
  /// bits; nothing if they may have more.
  std::optional<int64_t> mostOf(Value number, int depth = 6);
  std::optional<int64_t> computeMost(Value number, int depth);

  template <typename Op> Sum extreme(Sum a, Sum b, bool takesFirst);
  template <typename Op> Value make(Value left, Value right);
  Value constant(int64_t number);

  mlir::ImplicitLocOpBuilder &b;
  std::map<std::tuple<const void *, void *, void *>, Value> emitted;
  std::map<int64_t, Value> constants;
  llvm::DenseSet<Value> extents;
  llvm::DenseMap<Value, std::optional<int64_t>> mosts;
};

/// Tests before a launch whether accesses of its kernel are in bounds for all threads.
class LaunchRanges {
public:
  using Value = mlir::Value;
  /// True for guards to look at.
  using Filter = llvm::function_ref<bool(ir::GuardOp)>;
  LaunchRanges(mlir::ImplicitLocOpBuilder &b, mlir::gpu::LaunchFuncOp launch,
               mlir::gpu::GPUFuncOp kernel, mlir::ArrayRef<Value> extents);

  /// Looks at guards of the kernel. Those in the result need no guard in launches that pass.
  llvm::DenseSet<mlir::Operation *> prove(Filter filter);
  /// Looks at all guards. Those in the result need no guard in any launch.
  llvm::DenseSet<mlir::Operation *> proveAlways();
  /// Emits an i1 that is true if the launch does not pass; null if every launch passes.
  Value emitFailure();

private:
  using Sum = HostNumbers::Sum;
  struct Range {
    Sum low, high;
    bool isOne() const { return low == high; }
  };
  using MaybeRange = std::optional<Range>;
  /// Facts about numbers that follow from a condition around the code.
  struct Scope {
    llvm::DenseMap<Value, std::pair<std::optional<Sum>, std::optional<Sum>>> limits;
    llvm::DenseMap<Value, MaybeRange> ranges;
  };

  void visit(mlir::Block &block, Filter filter);
  template <typename Body> void within(Value condition, bool holds, const Body &body);
  void assume(Value condition, bool holds);
  void assumeOrder(Value less, Value greater, int64_t distance);
  void limit(Value value, std::optional<Sum> low, std::optional<Sum> high);
  bool prove(ir::GuardOp guard);

  MaybeRange of(Value value);
  MaybeRange compute(Value value);
  MaybeRange ofArgument(mlir::BlockArgument argument);
  MaybeRange ofInduction(mlir::scf::ForOp loop);
  std::optional<Sum> endOfSum(Value induction, Value added);
  MaybeRange ofCarried(mlir::BlockArgument argument, Value first, Value next);
  MaybeRange ofCarried(mlir::BlockArgument argument, Range start, Value next);
  MaybeRange ofResult(mlir::scf::ForOp loop, unsigned number);
  std::optional<int64_t> restartOf(Value next);
  MaybeRange ofSteps(Value argument, Range start, Value next, mlir::scf::ForOp loop);
  template <typename Accepts>
  MaybeRange ofNext(Value argument, Value next, Range assumption, const Accepts &accepts);
  MaybeRange ofCompared(Value value, Value condition, bool holds);
  MaybeRange ofChoice(Value condition, Value chosen, Value other);
  MaybeRange ofArithmetic(mlir::Operation *op);
  MaybeRange ofBits(mlir::Operation *op, Range left, Range right);
  MaybeRange ofQuotient(Range left, Range right, bool floors);
  MaybeRange ofRemainder(Range left, Range right);
  MaybeRange product(Range left, Range right);
  MaybeRange fitting(MaybeRange range, mlir::Operation *op);
  MaybeRange either(MaybeRange left, MaybeRange right);
  MaybeRange counted(Value extent);
  /// Requires that one number is not above another one. False if it never is.
  bool require(Sum less, Sum greater);
  bool requireNotNegative(const Range &range) { return require({}, range.low); }
  bool isNever(Value condition);

  mlir::ImplicitLocOpBuilder &b;
  mlir::gpu::LaunchFuncOp launch;
  mlir::gpu::GPUFuncOp kernel;
  bool mayRequire = true; ///< false if every launch must pass
  HostNumbers numbers;
  std::vector<Scope> scopes;
  CanonicalValues canonicals;
  llvm::DenseSet<mlir::Operation *> proven;
  llvm::DenseMap<Value, Range> assumptions;  ///< of carried values whose next ones are looked at
  llvm::DenseMap<Value, MaybeRange> carried; ///< of values that loops carry, anywhere in the loop
  /// first - second + number <= 0
  llvm::MapVector<std::pair<void *, void *>, int64_t> required;
};

} // namespace fairlead::check
