/// Conditional expressions, which choose one side at run time.
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/control/BranchMemory.h"
#include "dsl/trace/Builder.h"
#include "dsl/trace/Unfinished.h"
#include "fairlead/dsl/ControlFlow.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Maximum number of operations to execute speculatively instead of branching.
constexpr size_t kMaxSpeculated = 8;

bool isSpeculatable(Block &block) {
  size_t count = 0;
  for (Operation &op : block)
    if (!isPure(&op) || op.getNumRegions() || ++count > kMaxSpeculated)
      return false;
  return true;
}

/// Traces one side of the branch into its block.
void traceSide(OpBuilder &b, Block *block, const std::function<void()> &side) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(block);
  InBody inside;
  side();
}

void moveBefore(Block &block, Operation *op) {
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
}

/// Returns the type of a choice between two values. Handles of one dtype keep their type: they may
/// be pointers.
mlir::Type resultType(Program::Impl &impl, const Scalar &x, const Scalar &y) {
  if (x.isValue() && y.isValue() && x.dtype() == y.dtype())
    return known(impl, x.handle()).getType();
  return valueType(impl.context.get(), promote(x, y));
}

} // namespace

Scalars conditional(const Scalar &condition, const std::function<Scalars()> &then,
                    const std::function<Scalars()> &otherwise, SourceLoc at) {
  BranchEnds ends;
  return branch(
      condition, [&] { ends.then = then(); }, [&] { ends.otherwise = otherwise(); },
      [&] { return ends; }, /*mayCompute=*/true, at);
}

void attempt(const std::function<bool()> &code) {
  Program::Impl &impl = currentImpl("a run-time condition");
  OpBuilder &b = impl.builder;
  Block *block = b.getInsertionBlock();
  auto before = [&] {
    auto point = b.getInsertionPoint();
    return point == block->begin() ? nullptr : &*std::prev(point);
  };
  Operation *last = before();
  if (code())
    return;
  while (Operation *op = before()) {
    if (op == last)
      break;
    drop(impl, op);
  }
}

Scalars branch(const Scalar &condition, const std::function<void()> &then,
               const std::function<void()> &otherwise, const std::function<BranchEnds()> &ends,
               bool mayCompute, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("a run-time condition");
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value flag = emitAs(impl, condition, DType::Boolean);
  // The results' types are known only once both sides are traced, so they are traced into a branch
  // without results first.
  auto sides =
      scf::IfOp::create(b, loc, TypeRange(), flag, /*addThenBlock=*/true, /*addElseBlock=*/true);
  Unfinished unfinishedSides(impl, sides);
  BranchMemory memory(impl);
  traceSide(b, sides.thenBlock(), then);
  memory.startOther();
  traceSide(b, sides.elseBlock(), otherwise);
  memory.finish();
  auto [xs, ys] = [&] {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(sides); // numbers that are made here are for both sides
    return ends();
  }();
  if (xs.size() != ys.size())
    throw makeError(Diagnostic::CarriedCount, {{"construct", "conditional expression"},
                                               {"expected", std::to_string(xs.size())},
                                               {"got", std::to_string(ys.size())}});
  Scalars results;

  if (mayCompute && isSpeculatable(*sides.thenBlock()) && isSpeculatable(*sides.elseBlock())) {
    unfinishedSides.finish();
    moveBefore(*sides.thenBlock(), sides);
    moveBefore(*sides.elseBlock(), sides);
    sides.erase();
    for (auto [x, y] : llvm::zip(xs, ys))
      results.push_back(select(wrap(DType::Boolean, flag), x, y));
    return results;
  }

  SmallVector<mlir::Type> types;
  for (auto [x, y] : llvm::zip(xs, ys))
    types.push_back(resultType(impl, x, y));
  auto op = scf::IfOp::create(b, loc, types, flag, /*addThenBlock=*/false, /*addElseBlock=*/false);
  Unfinished unfinished(impl, op);
  auto fill = [&](Region &region, Region &traced, const Scalars &values) {
    OpBuilder::InsertionGuard guard(b);
    region.takeBody(traced);
    b.setInsertionPointToEnd(&region.front());
    SmallVector<mlir::Value> yielded;
    for (auto [value, x, y] : llvm::zip(values, xs, ys))
      yielded.push_back(emitAs(impl, value, promote(x, y)));
    scf::YieldOp::create(b, loc, yielded);
  };
  fill(op.getThenRegion(), sides.getThenRegion(), xs);
  fill(op.getElseRegion(), sides.getElseRegion(), ys);
  unfinished.finish();
  unfinishedSides.finish();
  sides.erase();
  for (auto [x, y, result] : llvm::zip(xs, ys, op.getResults()))
    results.push_back(wrap(promote(x, y), result));
  return results;
}

} // namespace fairlead::dsl
