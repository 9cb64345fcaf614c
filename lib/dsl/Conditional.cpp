/// Expressions of which one side is chosen at run time.
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/Builder.h"
#include "fairlead/dsl/ControlFlow.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// More than this is worth a branch.
constexpr size_t kMaxSpeculated = 8;

bool isSpeculatable(Block &block) {
  size_t count = 0;
  for (Operation &op : block)
    if (!isPure(&op) || op.getNumRegions() || ++count > kMaxSpeculated)
      return false;
  return true;
}

/// One side of the branch, traced into its block.
Scalar traceSide(OpBuilder &b, Block *block, const std::function<Scalar()> &side) {
  OpBuilder::InsertionGuard guard(b);
  if (!block->empty())
    block->back().erase();
  b.setInsertionPointToEnd(block);
  return side();
}

void moveBefore(Block &block, Operation *op) {
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
}

} // namespace

Scalar conditional(const Scalar &condition, const std::function<Scalar()> &then, const std::function<Scalar()> &otherwise) {
  Program::Impl &impl = currentImpl("a run-time condition");
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value flag = emitAs(impl, condition, DType::Boolean);
  // The result's type is known only once both sides are traced, so they are traced into a branch without results first.
  auto sides = scf::IfOp::create(b, loc, TypeRange(), flag, /*withElseRegion=*/true);
  Scalar x = traceSide(b, sides.thenBlock(), then);
  Scalar y = traceSide(b, sides.elseBlock(), otherwise);
  DType type = promote(x, y);

  if (isSpeculatable(*sides.thenBlock()) && isSpeculatable(*sides.elseBlock())) {
    moveBefore(*sides.thenBlock(), sides);
    moveBefore(*sides.elseBlock(), sides);
    sides.erase();
    return select(wrap(DType::Boolean, flag), x, y);
  }

  auto op = scf::IfOp::create(b, loc, TypeRange(valueType(impl.context.get(), type)), flag, /*withElseRegion=*/true);
  auto fill = [&](Block *block, Block *traced, const Scalar &result) {
    OpBuilder::InsertionGuard guard(b);
    if (!block->empty())
      block->back().erase();
    block->getOperations().splice(block->end(), traced->getOperations());
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, emitAs(impl, result, type));
  };
  fill(op.thenBlock(), sides.thenBlock(), x);
  fill(op.elseBlock(), sides.elseBlock(), y);
  sides.erase();
  return wrap(type, op.getResult(0));
}

} // namespace fairlead::dsl
