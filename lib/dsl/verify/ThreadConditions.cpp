#include "dsl/verify/ThreadConditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// The number of an axis whose thread index the value is, through conversions; -1 for others.
int threadAxis(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto index = dyn_cast<gpu::ThreadIdOp>(op))
      return static_cast<int>(index.getDimension());
    if (!isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      return -1;
    value = op->getOperand(0);
  }
  return -1;
}

bool holds(arith::CmpIPredicate predicate, int64_t index, int64_t bound) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return index == bound;
  case arith::CmpIPredicate::ne:
    return index != bound;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return index < bound;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return index <= bound;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return index > bound;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return index >= bound;
  }
  return false;
}

constexpr int64_t kWarp = TargetInfo::kWarpThreads;

/// Tries both orders of a commutative operation's operands.
template <typename Op, typename Match> bool eitherWay(Value value, Match match) {
  auto op = value.getDefiningOp<Op>();
  return op && (match(op.getLhs(), op.getRhs()) || match(op.getRhs(), op.getLhs()));
}

/// An index whose value differs in every two lanes of a warp: `x + extent * rest`, as laneIdx() and
/// warpIdx() number the threads of a block, or the index x itself where rows fill whole warps.
bool isThreadNumber(Value value, const std::optional<std::array<int64_t, 3>> &block) {
  if (threadAxis(value) == 0)
    return block && ((*block)[0] % kWarp == 0 || (*block)[1] * (*block)[2] == 1);
  return eitherWay<arith::AddIOp>(value, [](Value index, Value rows) {
    return threadAxis(index) == 0 && eitherWay<arith::MulIOp>(rows, [](Value extent, Value) {
             while (Operation *op = extent.getDefiningOp()) {
               if (auto size = dyn_cast<gpu::BlockDimOp>(op))
                 return size.getDimension() == gpu::Dimension::x;
               if (!isa<arith::IndexCastOp>(op))
                 break;
               extent = op->getOperand(0);
             }
             return false;
           });
  });
}

/// A thread number, or the lane of it.
bool isLaneNumber(Value value, const std::optional<std::array<int64_t, 3>> &block) {
  if (isThreadNumber(value, block))
    return true;
  IntegerAttr mask;
  auto lane = value.getDefiningOp<arith::AndIOp>();
  return lane && matchPattern(lane.getRhs(), m_Constant(&mask)) && mask.getInt() == kWarp - 1 &&
         isThreadNumber(lane.getLhs(), block);
}

/// The conditions that hold if `a and b` holds, as the value of a branch: `b if a else False`.
SmallVector<Value> conjuncts(Value condition) {
  auto branch = condition.getDefiningOp<scf::IfOp>();
  if (!branch || branch.getElseRegion().empty())
    return {};
  const unsigned place = cast<OpResult>(condition).getResultNumber();
  Value otherwise = branch.elseYield().getOperand(place);
  if (!matchPattern(otherwise, m_Zero()))
    return {};
  return {branch.getCondition(), branch.thenYield().getOperand(place)};
}

bool isOfOneLane(Value condition, const std::optional<std::array<int64_t, 3>> &block) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return false;
  if (auto collective = dyn_cast<ir::CollectiveOp>(op); collective && collective.electsLane())
    return true;
  if (isa<arith::AndIOp>(op))
    return isOfOneLane(op->getOperand(0), block) || isOfOneLane(op->getOperand(1), block);
  if (isa<scf::IfOp>(op))
    return llvm::any_of(conjuncts(condition), [&](Value part) { return isOfOneLane(part, block); });
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  Value left = compare.getLhs(), right = compare.getRhs();
  if (block && isThreadNumber(left, block) != isThreadNumber(right, block))
    return true;
  return (isLaneNumber(left, block) && matchPattern(right, m_Constant())) ||
         (isLaneNumber(right, block) && matchPattern(left, m_Constant()));
}

} // namespace

std::optional<ThreadCondition> ThreadCondition::of(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  IntegerAttr bound;
  if (!compare || !matchPattern(compare.getRhs(), m_Constant(&bound)))
    return std::nullopt;
  ThreadCondition result;
  result.axis = threadAxis(compare.getLhs());
  result.predicate = static_cast<int>(compare.getPredicate());
  result.bound = bound.getInt();
  return result.axis < 0 ? std::nullopt : std::optional(result);
}

bool ThreadCondition::holdsFor(int64_t thread, const std::array<int64_t, 3> &block) const {
  const int64_t place[] = {thread % block[0], thread / block[0] % block[1],
                           thread / (block[0] * block[1])};
  return holds(static_cast<arith::CmpIPredicate>(predicate), place[axis], bound);
}

std::string ThreadCondition::text() const {
  constexpr const char *kSigns[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  return std::string("the thread index ") + "xyz"[axis] + " " + kSigns[predicate] + " " +
         std::to_string(bound);
}

bool isReachedByOneLane(Operation *op, const std::optional<std::array<int64_t, 3>> &block) {
  for (; op && !isa<gpu::GPUFuncOp>(op); op = op->getParentOp())
    if (auto branch = dyn_cast_or_null<scf::IfOp>(op->getParentOp()))
      if (op->getParentRegion() == &branch.getThenRegion() &&
          isOfOneLane(branch.getCondition(), block))
        return true;
  return false;
}

} // namespace fairlead::dsl
