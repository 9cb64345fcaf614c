/// Extents of launches: 32 bits, whatever integers the program computes them from.
#include "dsl/LaunchExtent.h"

#include <limits>

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include "dsl/Builder.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Computes an i32 of the host program again in 64 bits, where sums and products do not wrap. What
/// branches and loops give is computed by branches and loops of its own.
class Widener {
public:
  explicit Widener(Program::Impl &impl) : b(impl.builder), loc(impl.builder.getUnknownLoc()) {}

  mlir::Value widen(mlir::Value value) {
    if (mlir::Value known = wide.lookup(value))
      return known;
    mlir::Value made = make(value);
    wide[value] = made;
    return made;
  }

  /// Whether the value comes from operations that can wrap; of loops any of what they carry counts.
  static bool canWrap(mlir::Value value) {
    llvm::DenseSet<mlir::Value> seen;
    return canWrap(value, seen);
  }

private:
  static bool canWrap(mlir::Value value, llvm::DenseSet<mlir::Value> &seen) {
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      return false;
    auto wraps = [&](mlir::Value part) { return canWrap(part, seen); };
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
      return true;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return wraps(yielded(branch.thenBlock(), value)) || wraps(yielded(branch.elseBlock(), value));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return llvm::any_of(loop.getBody()->getTerminator()->getOperands(), wraps) ||
             llvm::any_of(loop.getInitArgs(), wraps);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return llvm::any_of(loop.getYieldOp().getOperands(), wraps) ||
             llvm::any_of(loop.getInits(), wraps);
    return isArithmetic(op) && llvm::any_of(op->getOperands(), wraps);
  }

  static bool isArithmetic(Operation *op) {
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::RemSIOp,
               arith::FloorDivSIOp, arith::CeilDivSIOp, arith::MaxSIOp, arith::MinSIOp,
               arith::ShLIOp, arith::ShRSIOp, arith::AndIOp, arith::SelectOp>(op);
  }

  static mlir::Value yielded(Block *block, mlir::Value result) {
    return block->getTerminator()->getOperand(cast<OpResult>(result).getResultNumber());
  }

  /// Whether the values can be used, or computed again, where the program goes on. `inner`: block
  /// arguments of loops that are computed again too.
  bool areWithinReach(ValueRange values, llvm::DenseSet<mlir::Value> inner = {}) {
    return llvm::all_of(values, [&](mlir::Value value) { return isWithinReach(value, inner); });
  }

  /// Adds what is to `inner`, so that no value is looked at twice.
  bool isWithinReach(mlir::Value value, llvm::DenseSet<mlir::Value> &inner) {
    if (inner.contains(value) || copies.contains(value) ||
        value.getParentRegion()->isAncestor(b.getInsertionBlock()->getParent()))
      return true;
    Operation *op = value.getDefiningOp();
    auto reach = [&](mlir::Value operand) { return isWithinReach(operand, inner); };
    if (!op || !isMemoryEffectFree(op) || !llvm::all_of(inputs(op), reach))
      return false;
    inner.insert(value);
    return true;
  }

  /// The operands of an operation, and what its regions use from around it.
  static SmallVector<mlir::Value> inputs(Operation *op) {
    SmallVector<mlir::Value> result;
    op->walk([&](Operation *part) {
      for (mlir::Value operand : part->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          result.push_back(operand);
    });
    return result;
  }

  /// The value itself, or its copy inside the branch or the loop that is being made.
  mlir::Value narrow(mlir::Value value) {
    if (mlir::Value known = copies.lookupOrNull(value))
      return known;
    if (value.getParentRegion()->isAncestor(b.getInsertionBlock()->getParent()))
      return value;
    Operation *op = value.getDefiningOp();
    for (mlir::Value operand : inputs(op))
      copies.map(operand, narrow(operand));
    Operation *made;
    if (op->getNumRegions()) {
      // What stands for the values inside of it is not seen outside of the copy.
      IRMapping within = copies;
      made = b.clone(*op, within);
      copies.map(op->getResults(), made->getResults());
    } else {
      made = b.clone(*op, copies);
    }
    return made->getResult(cast<OpResult>(value).getResultNumber());
  }

  /// What is made inside a branch or a loop is not seen after it.
  template <typename Body> void inside(Block *block, Body &&body) {
    OpBuilder::InsertionGuard guard(b);
    llvm::DenseMap<mlir::Value, mlir::Value> wideBefore = wide;
    IRMapping copiesBefore = copies;
    b.setInsertionPointToEnd(block);
    body();
    wide = std::move(wideBefore);
    copies = std::move(copiesBefore);
  }

  mlir::Value extended(mlir::Value value) {
    return b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), narrow(value));
  }

  mlir::Value make(mlir::Value value) {
    Operation *op = value.getDefiningOp();
    if (auto branch = dyn_cast_or_null<scf::IfOp>(op))
      return makeBranch(branch, value);
    if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
      return makeLoop(loop, value);
    if (auto loop = dyn_cast_or_null<scf::WhileOp>(op))
      return makeWhile(loop, value);
    if (!op || !isArithmetic(op))
      return extended(value);
    SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(operand.getType().isInteger(32) ? widen(operand) : narrow(operand));
    OperationState state(loc, op->getName(), operands, TypeRange{b.getI64Type()});
    return b.create(state)->getResult(0);
  }

  mlir::Value makeBranch(scf::IfOp branch, mlir::Value value) {
    mlir::Value sides[] = {yielded(branch.thenBlock(), value), yielded(branch.elseBlock(), value)};
    if (!areWithinReach(sides) || !areWithinReach(branch.getCondition()))
      return extended(value);
    auto made = scf::IfOp::create(b, loc, TypeRange{b.getI64Type()}, narrow(branch.getCondition()),
                                  /*withElseRegion=*/true);
    for (int side = 0; side < 2; ++side)
      inside(side ? made.elseBlock() : made.thenBlock(),
             [&] { scf::YieldOp::create(b, loc, widen(sides[side])); });
    return made.getResult(0);
  }

  /// What a loop carries: what the first one does, and after it each i32 once more in 64 bits,
  /// stopped where it is too large for a grid: it would wrap in the end.
  struct Carried {
    SmallVector<mlir::Value> starts;
    SmallVector<unsigned> widened; ///< the places of the i32

    mlir::Value resultOf(Operation *loop, mlir::Value value) const {
      unsigned index = cast<OpResult>(value).getResultNumber();
      auto place = llvm::find(widened, index) - widened.begin();
      return loop->getResult(starts.size() - widened.size() + place);
    }
  };

  Carried enter(ValueRange inits) {
    Carried carried;
    for (mlir::Value start : inits)
      carried.starts.push_back(narrow(start));
    for (auto [index, start] : llvm::enumerate(inits))
      if (start.getType().isInteger(32)) {
        carried.widened.push_back(index);
        carried.starts.push_back(widen(start));
      }
    return carried;
  }

  /// The arguments `old` of a loop's block are those of the new block, from `offset` on.
  void rename(const Carried &carried, ValueRange old, Block *made, unsigned offset = 0) {
    for (auto [index, argument] : llvm::enumerate(old))
      copies.map(argument, made->getArgument(offset + index));
    for (auto [place, index] : llvm::enumerate(carried.widened))
      wide[old[index]] = made->getArgument(offset + old.size() + place);
  }

  /// What a block hands on, made again.
  SmallVector<mlir::Value> leave(const Carried &carried, ValueRange ends) {
    SmallVector<mlir::Value> result;
    for (mlir::Value end : ends)
      result.push_back(narrow(end));
    for (unsigned index : carried.widened)
      result.push_back(stopped(widen(ends[index])));
    return result;
  }

  mlir::Value makeLoop(scf::ForOp loop, mlir::Value value) {
    ValueRange ends = loop.getBody()->getTerminator()->getOperands();
    llvm::DenseSet<mlir::Value> inner(loop.getBody()->getArguments().begin(),
                                      loop.getBody()->getArguments().end());
    mlir::Value bounds[] = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    if (!areWithinReach(bounds) || !areWithinReach(loop.getInitArgs()) ||
        !areWithinReach(ends, inner))
      return extended(value);
    Carried carried = enter(loop.getInitArgs());
    auto made = scf::ForOp::create(b, loc, narrow(bounds[0]), narrow(bounds[1]), narrow(bounds[2]),
                                   carried.starts, nullptr, loop.getUnsignedCmp());
    if (!made.getBody()->empty())
      made.getBody()->back().erase();
    inside(made.getBody(), [&] {
      copies.map(loop.getInductionVar(), made.getInductionVar());
      rename(carried, loop.getRegionIterArgs(), made.getBody(), 1);
      scf::YieldOp::create(b, loc, leave(carried, ends));
    });
    return carried.resultOf(made, value);
  }

  mlir::Value makeWhile(scf::WhileOp loop, mlir::Value value) {
    ValueRange before = loop.getBeforeArguments(), after = loop.getAfterArguments();
    ValueRange goingOn = loop.getConditionOp().getArgs(), ends = loop.getYieldOp().getOperands();
    mlir::Value condition = loop.getConditionOp().getCondition();
    llvm::DenseSet<mlir::Value> inner(before.begin(), before.end());
    inner.insert(after.begin(), after.end());
    if (before.getTypes() != after.getTypes() || !areWithinReach(loop.getInits()) ||
        !areWithinReach(goingOn, inner) || !areWithinReach(condition, inner) ||
        !areWithinReach(ends, inner))
      return extended(value);
    Carried carried = enter(loop.getInits());
    SmallVector<mlir::Type> types(ValueRange(carried.starts).getTypes());
    SmallVector<Location> places(types.size(), loc);
    auto made = scf::WhileOp::create(b, loc, types, carried.starts);
    auto addBlock = [&](Region &region) {
      OpBuilder::InsertionGuard guard(b);
      return b.createBlock(&region, {}, types, places);
    };
    Block *test = addBlock(made.getBefore()), *body = addBlock(made.getAfter());
    inside(test, [&] {
      rename(carried, before, test);
      mlir::Value again = narrow(condition);
      scf::ConditionOp::create(b, loc, again, leave(carried, goingOn));
    });
    inside(body, [&] {
      rename(carried, after, body);
      scf::YieldOp::create(b, loc, leave(carried, ends));
    });
    return carried.resultOf(made, value);
  }

  mlir::Value stopped(mlir::Value value) {
    constexpr int64_t kEnd = int64_t(1) << 32;
    auto number = [&](int64_t n) {
      return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(n));
    };
    mlir::Value most = b.createOrFold<arith::MinSIOp>(loc, value, number(kEnd));
    return b.createOrFold<arith::MaxSIOp>(loc, most, number(-kEnd));
  }

  OpBuilder &b;
  Location loc;
  llvm::DenseMap<mlir::Value, mlir::Value> wide;
  IRMapping copies;
};

} // namespace

mlir::Value emitExtent(Program::Impl &impl, const Scalar &extent, const std::string &kernel,
                       const std::string &what) {
  if (extent.isLiteral()) {
    int64_t number = extent.literalInt();
    if (number != static_cast<int32_t>(number))
      throw makeError(Diagnostic::LaunchExtentRange,
                      {{"what", what}, {"kernel", kernel}, {"got", std::to_string(number)}});
    return emitIntConstant(impl, DType::Int32, number);
  }
  mlir::Value narrow = emitAs(impl, extent, DType::Int32);
  OpBuilder &b = impl.builder;
  mlir::Value wide;
  if (extent.dtype() == DType::Int32 && Widener::canWrap(narrow))
    wide = Widener(impl).widen(narrow);
  else if (bitWidth(extent.dtype()) == 64 || extent.dtype() == DType::Uint32)
    wide = emitAs(impl, extent, DType::Int64);
  if (wide) {
    mlir::Value again = b.createOrFold<arith::ExtSIOp>(b.getUnknownLoc(), b.getI64Type(), narrow);
    requireEqual(impl, wrap(DType::Int64, again), wrap(DType::Int64, wide),
                 info(Diagnostic::LaunchExtentRange).kind,
                 compose(Diagnostic::LaunchExtentRange, {{"what", what}, {"kernel", kernel}}));
  }
  return narrow;
}

} // namespace fairlead::dsl
