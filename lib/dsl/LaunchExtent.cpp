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

  /// Whether the value comes from operations that can wrap.
  static bool canWrap(mlir::Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
      return true;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return canWrap(yielded(branch.thenBlock(), value)) ||
             canWrap(yielded(branch.elseBlock(), value));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return canWrap(yielded(loop.getBody(), value)) ||
             canWrap(loop.getInitArgs()[cast<OpResult>(value).getResultNumber()]);
    return isArithmetic(op) && llvm::any_of(op->getOperands(), canWrap);
  }

private:
  static bool isArithmetic(Operation *op) {
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::RemSIOp,
               arith::FloorDivSIOp, arith::CeilDivSIOp, arith::MaxSIOp, arith::MinSIOp,
               arith::ShLIOp, arith::ShRSIOp, arith::AndIOp, arith::SelectOp>(op);
  }

  static mlir::Value yielded(Block *block, mlir::Value result) {
    return block->getTerminator()->getOperand(cast<OpResult>(result).getResultNumber());
  }

  /// Whether the value can be used, or computed again, where the program goes on. `inner`: block
  /// arguments of loops that are computed again too.
  bool isWithinReach(mlir::Value value, const llvm::DenseSet<mlir::Value> &inner) {
    if (inner.contains(value) || copies.contains(value) ||
        value.getParentRegion()->isAncestor(b.getInsertionBlock()->getParent()))
      return true;
    Operation *op = value.getDefiningOp();
    auto reach = [&](mlir::Value operand) { return isWithinReach(operand, inner); };
    return op && isMemoryEffectFree(op) && llvm::all_of(inputs(op), reach);
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
    return b.clone(*op, copies)->getResult(cast<OpResult>(value).getResultNumber());
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
    if (!isWithinReach(sides[0], {}) || !isWithinReach(sides[1], {}) ||
        !isWithinReach(branch.getCondition(), {}))
      return extended(value);
    auto made = scf::IfOp::create(b, loc, TypeRange{b.getI64Type()}, narrow(branch.getCondition()),
                                  /*withElseRegion=*/true);
    for (int side = 0; side < 2; ++side)
      inside(side ? made.elseBlock() : made.thenBlock(),
             [&] { scf::YieldOp::create(b, loc, widen(sides[side])); });
    return made.getResult(0);
  }

  /// A loop that carries what the first one carries, and after it each i32 once more in 64 bits,
  /// stopped where it is too large for a grid: it would wrap in the end.
  mlir::Value makeLoop(scf::ForOp loop, mlir::Value value) {
    llvm::DenseSet<mlir::Value> inner(loop.getBody()->getArguments().begin(),
                                      loop.getBody()->getArguments().end());
    for (mlir::Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (!isWithinReach(bound, {}))
        return extended(value);
    Operation *last = loop.getBody()->getTerminator();
    for (auto [start, end] : llvm::zip(loop.getInitArgs(), last->getOperands()))
      if (!isWithinReach(start, {}) || !isWithinReach(end, inner))
        return extended(value);
    SmallVector<mlir::Value> starts;
    for (mlir::Value start : loop.getInitArgs())
      starts.push_back(narrow(start));
    SmallVector<unsigned> widened;
    for (auto [index, start] : llvm::enumerate(loop.getInitArgs()))
      if (start.getType().isInteger(32)) {
        widened.push_back(index);
        starts.push_back(widen(start));
      }
    auto made =
        scf::ForOp::create(b, loc, narrow(loop.getLowerBound()), narrow(loop.getUpperBound()),
                           narrow(loop.getStep()), starts, nullptr, loop.getUnsignedCmp());
    unsigned count = loop.getInitArgs().size();
    if (!made.getBody()->empty())
      made.getBody()->back().erase();
    inside(made.getBody(), [&] {
      for (auto [old, fresh] :
           llvm::zip_first(loop.getBody()->getArguments(), made.getBody()->getArguments()))
        copies.map(old, fresh);
      for (auto [place, index] : llvm::enumerate(widened))
        wide[loop.getRegionIterArgs()[index]] = made.getRegionIterArgs()[count + place];
      SmallVector<mlir::Value> ends;
      for (mlir::Value end : last->getOperands())
        ends.push_back(narrow(end));
      for (unsigned index : widened)
        ends.push_back(stopped(widen(last->getOperand(index))));
      scf::YieldOp::create(b, loc, ends);
    });
    unsigned index = cast<OpResult>(value).getResultNumber();
    return made.getResult(count + (llvm::find(widened, index) - widened.begin()));
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
