#include "lower/cpu/Uniformity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/Symbols.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

constexpr int64_t kWarp = 32;
/// Operations that computing a value again may take.
constexpr unsigned kMaxCost = 12;

Spread join(Spread a, Spread b) {
  if (a == b && a != Spread::Lane)
    return a;
  Spread most = std::max(a, b);
  return most == Spread::Lane ? Spread::Any : most;
}

/// What control flow that depends on a value does to the values it chooses.
Spread asControl(Spread spread) { return spread <= Spread::Warp ? spread : Spread::Any; }

std::optional<int64_t> constant(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

Value throughCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

template <typename Op> bool isDimension(Value value, gpu::Dimension dimension) {
  auto op = throughCasts(value).getDefiningOp<Op>();
  return op && op.getDimension() == dimension;
}

/// Both orders of a commutative operation's operands.
template <typename Op, typename Match> bool eitherWay(Value value, Match match) {
  auto op = throughCasts(value).getDefiningOp<Op>();
  return op && (match(op.getLhs(), op.getRhs()) || match(op.getRhs(), op.getLhs()));
}

} // namespace

bool isPlain(Operation *op) {
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return assembly.getAsmString() == dsl::kSharedSizeAssembly;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && !isa<LLVM::AllocaOp>(op);
}

Uniformity::Uniformity(gpu::GPUFuncOp kernel) : extents(kernel.getKnownBlockSize()) {
  Block &body = kernel.getBody().front();
  // Loops raise what they carry until nothing changes; spreads only grow.
  do {
    changed = false;
    visit(body);
  } while (changed);
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) { estimate(op); });
}

void Uniformity::raise(Value value, Spread spread) {
  if (spread == Spread::Block)
    return;
  auto [entry, inserted] = spreads.try_emplace(value, spread);
  if (inserted) {
    changed = true;
    return;
  }
  // A value of one kind stays of that kind; another kind makes it anything at worst.
  Spread joined = entry->second == spread ? spread : join(entry->second, spread);
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
  Spread spread = Spread::Any;
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    spread = ofThreadId(id);
  else if (isPlain(&op))
    spread = ofPure(op);
  else if (isa<NVVM::VoteSyncOp>(op) || readsOneLane(op))
    spread = Spread::Warp;
  for (Value result : op.getResults())
    raise(result, spread);
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        raise(argument, Spread::Any);
      visit(block);
    }
}

/// A shuffle in which all lanes of whole warps read the same one.
bool Uniformity::readsOneLane(Operation &op) const {
  auto shuffle = dyn_cast<NVVM::ShflOp>(op);
  return shuffle && shuffle.getKind() == NVVM::ShflKind::idx && inWarp(shuffle.getOffset()) &&
         constant(shuffle.getMaskAndClamp()) == kWarp - 1 && extents &&
         (*extents)[0] * (*extents)[1] * (*extents)[2] % kWarp == 0;
}

void Uniformity::visit(scf::IfOp op) {
  Spread control = asControl(of(op.getCondition()));
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      visit(block);
      for (auto [result, value] : llvm::zip(op.getResults(), block.getTerminator()->getOperands()))
        raise(result, join(of(value), control));
    }
}

void Uniformity::visit(scf::ForOp op) {
  Spread control = Spread::Block;
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
  Spread control = asControl(of(condition.getCondition()));
  for (auto [result, value] : llvm::zip(op.getResults(), condition.getArgs()))
    raise(result, join(asControl(of(value)), control));
}

Spread Uniformity::ofThreadId(gpu::ThreadIdOp id) const {
  if (!extents)
    return Spread::Any;
  auto [x, y, z] = std::tuple((*extents)[0], (*extents)[1], (*extents)[2]);
  switch (id.getDimension()) {
  case gpu::Dimension::x:
    if (x == 1)
      return Spread::Block;
    return (y == 1 && z == 1) || x % kWarp == 0 ? Spread::Lane : Spread::Any;
  case gpu::Dimension::y:
    return y == 1 ? Spread::Block : x % kWarp == 0 ? Spread::Warp : Spread::Any;
  case gpu::Dimension::z:
    return z == 1 ? Spread::Block : x * y % kWarp == 0 ? Spread::Warp : Spread::Any;
  }
  return Spread::Any;
}

bool Uniformity::isMultipleOfWarp(Value value, int depth) const {
  if (depth > 6)
    return false;
  value = throughCasts(value);
  if (auto number = constant(value))
    return *number % kWarp == 0;
  Operation *op = value.getDefiningOp();
  auto multiple = [&](unsigned operand) {
    return isMultipleOfWarp(op->getOperand(operand), depth + 1);
  };
  if (auto extent = dyn_cast_or_null<gpu::BlockDimOp>(op))
    return extents && (*extents)[static_cast<int>(extent.getDimension())] % kWarp == 0;
  if (isa_and_nonnull<arith::MulIOp>(op))
    return multiple(0) || multiple(1);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return multiple(0) && multiple(1);
  if (isa_and_nonnull<arith::ShLIOp>(op)) {
    auto bits = constant(op->getOperand(1));
    return bits && *bits >= 5;
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

Spread Uniformity::ofPure(Operation &op) const {
  if (isLinearIndex(op))
    return Spread::Lane;
  Spread all = Spread::Block;
  for (Value operand : op.getOperands())
    all = op.getNumOperands() == 1 ? of(operand) : join(all, of(operand));
  if (op.getNumOperands() == 1)
    return all == Spread::Lane && !isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                                       arith::ExtUIOp, arith::TruncIOp>(op)
               ? Spread::Any
               : all;
  if (all != Spread::Any || op.getNumOperands() != 2)
    return all;
  // 32 w + lane with something whose lower five bits say nothing.
  Value left = op.getOperand(0), right = op.getOperand(1);
  if (isa<arith::AddIOp>(op) && of(right) == Spread::Lane)
    std::swap(left, right);
  if (isa<arith::CmpIOp>(op) && of(right) == Spread::Lane && of(left) <= Spread::Warp &&
      isMultipleOfWarp(left)) {
    // 32 c > 32 w + lane, or its opposite
    auto predicate = cast<arith::CmpIOp>(op).getPredicate();
    return predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::ugt ||
                   predicate == arith::CmpIPredicate::sle || predicate == arith::CmpIPredicate::ule
               ? Spread::Warp
               : Spread::Any;
  }
  if (of(left) != Spread::Lane || of(right) > Spread::Warp)
    return all;
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return isMultipleOfWarp(right) ? Spread::Lane : all;
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op)) {
    auto bits = constant(right);
    return bits && *bits >= 5 ? Spread::Warp : all;
  }
  if (isa<arith::DivUIOp>(op))
    return constant(right) && isMultipleOfWarp(right) ? Spread::Warp : all;
  if (isa<arith::AndIOp>(op))
    return constant(right) && isMultipleOfWarp(right) ? Spread::Warp : all;
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && isMultipleOfWarp(right)) {
    auto predicate = compare.getPredicate();
    return predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::ult ||
                   predicate == arith::CmpIPredicate::sge || predicate == arith::CmpIPredicate::uge
               ? Spread::Warp
               : all;
  }
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
    if (auto known = cost.find(operand); known != cost.end())
      sum += inBlock(operand) ? 0 : known->second;
    else if (!inBlock(operand))
      return;
  }
  if (sum <= kMaxCost)
    cost.try_emplace(op->getResult(0), sum);
}

} // namespace fairlead::lower
