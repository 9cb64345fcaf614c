#include "lower/cpu/fission/Uniformity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lower/common/PlainOps.h"
#include "lower/cpu/collective/CpuModel.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Maximum number of operations to recompute a value.
constexpr unsigned kMaxCost = 12;

/// A way to read an index: `factor` g + something below `factor`, with g the same in `threads`.
struct Period {
  int64_t factor;
  Divergence threads, index;
};

ArrayRef<Period> periodsOf(Divergence divergence) {
  static constexpr Period kThread[] = {
      {kWarpgroupThreads, Divergence::Warpgroup, Divergence::WarpgroupIndex},
      {kWarpThreads, Divergence::Warp, Divergence::Lane}};
  static constexpr Period kWarp[] = {
      {kWarpgroupThreads / kWarpThreads, Divergence::Warpgroup, Divergence::WarpIndex}};
  switch (divergence) {
  case Divergence::WarpgroupIndex:
    return kThread;
  case Divergence::Lane:
    return ArrayRef(kThread).drop_front();
  case Divergence::WarpIndex:
    return kWarp;
  default:
    return {};
  }
}

bool isIndex(Divergence divergence) { return !periodsOf(divergence).empty(); }

/// Returns the divergence of a value computed from an index that is no index itself.
Divergence noIndex(Divergence divergence) {
  if (!isIndex(divergence))
    return divergence;
  return isSameInWarp(divergence) ? Divergence::Warp : Divergence::Any;
}

Divergence join(Divergence a, Divergence b) { return noIndex(std::max(noIndex(a), noIndex(b))); }

/// Returns the divergence that a condition adds to the values that its control flow selects.
Divergence asControl(Divergence divergence) { return noIndex(divergence); }

bool isCast(Operation *op) {
  return isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp>(op);
}

Value throughCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isCast(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

template <typename Op> bool isDimension(Value value, gpu::Dimension dimension) {
  auto op = throughCasts(value).getDefiningOp<Op>();
  return op && op.getDimension() == dimension;
}

/// Tries both orders of a commutative operation's operands.
template <typename Op, typename Match> bool eitherWay(Value value, Match match) {
  auto op = throughCasts(value).getDefiningOp<Op>();
  return op && (match(op.getLhs(), op.getRhs()) || match(op.getRhs(), op.getLhs()));
}

} // namespace

std::optional<int64_t> blockThreads(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> extents = kernel.getKnownBlockSize();
  if (!extents)
    return std::nullopt;
  return int64_t((*extents)[0]) * (*extents)[1] * (*extents)[2];
}

Uniformity::Uniformity(gpu::GPUFuncOp kernel)
    : extents(kernel.getKnownBlockSize()), threads(blockThreads(kernel)) {
  Block &body = kernel.getBody().front();
  // Loops raise their carried values until nothing changes; divergences only grow.
  do {
    changed = false;
    visit(body);
  } while (changed);
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) { estimate(op); });
}

void Uniformity::raise(Value value, Divergence divergence) {
  if (divergence == Divergence::Block)
    return;
  auto [entry, inserted] = divergences.try_emplace(value, divergence);
  if (inserted) {
    changed = true;
    return;
  }
  // Equal divergences stay; different ones are joined, in the worst case to Any.
  Divergence joined = entry->second == divergence ? divergence : join(entry->second, divergence);
  if (joined != entry->second) {
    entry->second = joined;
    changed = true;
  }
}

void Uniformity::visit(Block &block) {
  for (Operation &op : block)
    visit(op);
}

void Uniformity::visit(Operation &op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visit(branch);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visit(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visit(loop);
  Divergence divergence = Divergence::Any;
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    divergence = ofThreadId(id);
  else if (isPlain(&op))
    divergence = ofPure(op);
  else if (auto modelled = dyn_cast<CpuOp>(op))
    divergence = modelled.divergence(*this, threads);
  for (Value result : op.getResults())
    raise(result, divergence);
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        raise(argument, Divergence::Any);
      visit(block);
    }
}

void Uniformity::visit(scf::IfOp op) {
  Divergence control = asControl(of(op.getCondition()));
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      visit(block);
      for (auto [result, value] : llvm::zip(op.getResults(), block.getTerminator()->getOperands()))
        raise(result, join(of(value), control));
    }
}

void Uniformity::visit(scf::ForOp op) {
  Divergence control = Divergence::Block;
  for (Value bound : {op.getLowerBound(), op.getUpperBound(), op.getStep()})
    control = join(control, asControl(of(bound)));
  raise(op.getInductionVar(), control);
  auto carry = [&](OperandRange values) {
    for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), values))
      raise(argument, asControl(of(value)));
  };
  carry(op.getInitArgs());
  visit(*op.getBody());
  carry(op.getBody()->getTerminator()->getOperands());
  for (auto [result, argument] : llvm::zip(op.getResults(), op.getRegionIterArgs()))
    raise(result, join(of(argument), control));
}

void Uniformity::visit(scf::WhileOp op) {
  auto carry = [&](ValueRange arguments, OperandRange values) {
    for (auto [argument, value] : llvm::zip(arguments, values))
      raise(argument, asControl(of(value)));
  };
  carry(op.getBeforeArguments(), op.getInits());
  visit(op.getBefore().front());
  scf::ConditionOp condition = op.getConditionOp();
  carry(op.getAfterArguments(), condition.getArgs());
  visit(op.getAfter().front());
  carry(op.getBeforeArguments(), op.getYieldOp()->getOperands());
  Divergence control = asControl(of(condition.getCondition()));
  for (auto [result, value] : llvm::zip(op.getResults(), condition.getArgs()))
    raise(result, join(asControl(of(value)), control));
}

Divergence Uniformity::ofThreadId(gpu::ThreadIdOp id) const {
  if (!extents)
    return Divergence::Any;
  auto [x, y, z] = std::tuple((*extents)[0], (*extents)[1], (*extents)[2]);
  // Rows or planes of whole warpgroups, or of whole warps.
  auto alike = [](int64_t size) {
    return size % kWarpgroupThreads == 0 ? Divergence::Warpgroup
           : size % kWarpThreads == 0    ? Divergence::Warp
                                         : Divergence::Any;
  };
  switch (id.getDimension()) {
  case gpu::Dimension::x:
    if (x == 1)
      return Divergence::Block;
    if ((y == 1 && z == 1) || x % kWarpgroupThreads == 0)
      return Divergence::WarpgroupIndex;
    return x % kWarpThreads == 0 ? Divergence::Lane : Divergence::Any;
  case gpu::Dimension::y:
    return y == 1 ? Divergence::Block : alike(x);
  case gpu::Dimension::z:
    return z == 1 ? Divergence::Block : alike(int64_t(x) * y);
  }
  return Divergence::Any;
}

/// `factor`: a power of two.
bool Uniformity::isMultiple(Value value, int64_t factor, int depth) const {
  if (depth > 6)
    return false;
  value = throughCasts(value);
  if (auto number = constantOf(value))
    return *number % factor == 0;
  Operation *op = value.getDefiningOp();
  auto multiple = [&](unsigned operand) {
    return isMultiple(op->getOperand(operand), factor, depth + 1);
  };
  if (auto extent = dyn_cast_or_null<gpu::BlockDimOp>(op))
    return extents && (*extents)[static_cast<int>(extent.getDimension())] % factor == 0;
  if (isa_and_nonnull<arith::MulIOp>(op))
    return multiple(0) || multiple(1);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return multiple(0) && multiple(1);
  if (isa_and_nonnull<arith::ShLIOp>(op)) {
    auto bits = constantOf(op->getOperand(1));
    return bits && *bits < 63 && int64_t(1) << *bits >= factor;
  }
  return false;
}

/// threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)
bool Uniformity::isLinearIndex(Operation &op) const {
  using gpu::Dimension;
  auto rows = [](Value value) {
    return eitherWay<arith::AddIOp>(value, [](Value y, Value planes) {
      return isDimension<gpu::ThreadIdOp>(y, Dimension::y) &&
             eitherWay<arith::MulIOp>(planes, [](Value extent, Value z) {
               return isDimension<gpu::BlockDimOp>(extent, Dimension::y) &&
                      isDimension<gpu::ThreadIdOp>(z, Dimension::z);
             });
    });
  };
  return isa<arith::AddIOp>(op) &&
         eitherWay<arith::AddIOp>(op.getResult(0), [&](Value x, Value rest) {
           return isDimension<gpu::ThreadIdOp>(x, Dimension::x) &&
                  eitherWay<arith::MulIOp>(rest, [&](Value extent, Value inner) {
                    return isDimension<gpu::BlockDimOp>(extent, Dimension::x) && rows(inner);
                  });
         });
}

/// Returns the divergence of an index plus or minus a number.
Divergence Uniformity::ofSum(Value index, Value other) const {
  for (const Period &period : periodsOf(of(index)))
    if (of(other) <= period.threads && isMultiple(other, period.factor))
      return period.index;
  return join(of(index), of(other));
}

/// Returns the divergence of an index divided, towards negative infinity, by a positive number.
Divergence Uniformity::ofQuotient(Value index, int64_t divisor) const {
  for (const Period &period : periodsOf(of(index)))
    if (divisor % period.factor == 0)
      return of(index) == Divergence::WarpgroupIndex && divisor == kWarpThreads
                 ? Divergence::WarpIndex
                 : period.threads;
  return noIndex(of(index));
}

/// Returns the divergence of a comparison of an index with a bound.
Divergence Uniformity::ofComparison(Value index, Value bound) const {
  for (const Period &period : periodsOf(of(index)))
    if (of(bound) <= period.threads && isMultiple(bound, period.factor))
      return period.threads;
  return join(of(index), of(bound));
}

Divergence Uniformity::ofPure(Operation &op) const {
  if (isLinearIndex(op))
    return Divergence::WarpgroupIndex;
  if (op.getNumOperands() == 1) {
    Divergence only = of(op.getOperand(0));
    return isCast(&op) ? only : noIndex(only);
  }
  Divergence all = Divergence::Block;
  for (Value operand : op.getOperands())
    all = join(all, of(operand));
  if (op.getNumOperands() != 2)
    return all;
  Value left = op.getOperand(0), right = op.getOperand(1);
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using enum arith::CmpIPredicate;
    switch (compare.getPredicate()) {
    case slt:
    case ult:
    case sge:
    case uge:
      return isIndex(of(left)) ? ofComparison(left, right) : all;
    case sgt:
    case ugt:
    case sle:
    case ule:
      return isIndex(of(right)) ? ofComparison(right, left) : all;
    default:
      return all;
    }
  }
  if (isa<arith::AddIOp>(op) && !isIndex(of(left)))
    std::swap(left, right);
  if (!isIndex(of(left)))
    return all;
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return ofSum(left, right);
  std::optional<int64_t> number = constantOf(right);
  if (!number)
    return all;
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) && *number < 63)
    return ofQuotient(left, int64_t(1) << *number);
  if (isa<arith::DivUIOp, arith::FloorDivSIOp>(op) && *number > 0)
    return ofQuotient(left, *number);
  if (isa<arith::AndIOp>(op))
    for (const Period &period : periodsOf(of(left)))
      if (*number % period.factor == 0)
        return period.threads;
  return all;
}

void Uniformity::estimate(Operation *op) {
  if (isa<gpu::ThreadIdOp, LLVM::AllocaOp>(op)) {
    cost.try_emplace(op->getResult(0), 0);
    return;
  }
  if (!isPlain(op) || op->getNumResults() != 1 || isa<math::MathDialect>(op->getDialect()))
    return;
  unsigned sum = 1;
  for (Value operand : op->getOperands()) {
    if (auto entry = cost.find(operand); entry != cost.end())
      sum += inBlock(operand) ? 0 : entry->second;
    else if (!inBlock(operand))
      return;
  }
  if (sum <= kMaxCost)
    cost.try_emplace(op->getResult(0), sum);
}

} // namespace fairlead::lower
