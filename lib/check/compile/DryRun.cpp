#include "check/compile/DryRun.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "lower/common/PlainOps.h"

using namespace mlir;

namespace fairlead::check {

//===--- values that no memory decides ---------------------------------------------------------===

ComputedValues::ComputedValues(gpu::GPUFuncOp kernel) {
  bool changes = true;
  while (changes) { // what loops carry backwards
    changes = false;
    kernel.getBody().walk([&](Operation *op) { changes |= note(op); });
  }
}

bool ComputedValues::areComputed(ValueRange values) const {
  return llvm::all_of(values, [&](Value value) { return isComputed(value); });
}

/// Returns true if one of the values is new.
bool ComputedValues::mark(ValueRange values) {
  bool added = false;
  for (Value value : values)
    added |= others.insert(value).second;
  return added;
}

bool ComputedValues::note(Operation *op) {
  if (isa<scf::IfOp>(op))
    return noteIf(op);
  if (isa<scf::ForOp>(op))
    return noteFor(op);
  if (isa<scf::WhileOp>(op))
    return noteWhile(op);
  const bool plain = lower::isPlain(op) || isa<gpu::ThreadIdOp, gpu::BlockIdOp, LLVM::AllocaOp>(op);
  if (plain && areComputed(op->getOperands()))
    return false;
  bool added = mark(op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      added |= mark(block.getArguments());
  return added;
}

bool ComputedValues::noteIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  if (!isComputed(branch.getCondition()))
    return mark(branch.getResults());
  bool added = false;
  for (auto [number, result] : llvm::enumerate(branch.getResults()))
    if (!isComputed(branch.thenYield().getOperand(number)) ||
        !isComputed(branch.elseYield().getOperand(number)))
      added |= mark(result);
  return added;
}

bool ComputedValues::noteFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  bool added = false;
  if (!areComputed({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
    added = mark(loop.getResults()) | mark(loop.getBody()->getArguments());
  for (auto [first, argument, next, result] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                 loop.getResults()))
    if (!areComputed({first, next}))
      added |= mark({argument, result});
  return added;
}

bool ComputedValues::noteWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  scf::ConditionOp condition = loop.getConditionOp();
  bool added = false;
  if (!isComputed(condition.getCondition()))
    added = mark(loop.getResults()) | mark(loop.getAfterArguments());
  for (auto [first, argument, next] :
       llvm::zip(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getResults()))
    if (!areComputed({first, next}))
      added |= mark(argument);
  for (auto [value, argument, result] :
       llvm::zip(condition.getArgs(), loop.getAfterArguments(), loop.getResults()))
    if (!isComputed(value))
      added |= mark({argument, result});
  return added;
}

bool ComputedValues::has(ir::GuardOp guard) const {
  if (!hasNumbers(guard))
    return false;
  for (Operation *at = guard->getParentOp(); !isa<gpu::GPUFuncOp>(at); at = at->getParentOp()) {
    if (auto branch = dyn_cast<scf::IfOp>(at)) {
      if (!isComputed(branch.getCondition()))
        return false;
    } else if (auto loop = dyn_cast<scf::ForOp>(at)) {
      if (!areComputed({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
        return false;
    } else if (auto loop = dyn_cast<scf::WhileOp>(at)) {
      if (!isComputed(loop.getConditionOp().getCondition()))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

//===--- copies --------------------------------------------------------------------------------===

namespace {

/// Erases everything from a kernel that its guards do not need.
class Slice {
public:
  explicit Slice(gpu::GPUFuncOp kernel) : kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {}

  void keep(Operation *op) {
    if (!kept.insert(op).second)
      return;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      keep(branch.getCondition());
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      llvm::for_each(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                     [&](Value bound) { keep(bound); });
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      keep(loop.getConditionOp().getCondition());
    else
      llvm::for_each(op->getOperands(), [&](Value operand) { keep(operand); });
    if (Operation *parent = op->getParentOp(); parent != kernel)
      keep(parent);
  }

  void eraseOthers() {
    while (!pending.empty())
      keepSources(pending.pop_back_val());
    SmallVector<Operation *> erased;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->hasTrait<OpTrait::IsTerminator>())
        return WalkResult::advance();
      if (kept.contains(op))
        return WalkResult::advance();
      erased.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *op : kept)
      replaceOthers(op);
    for (Operation *op : llvm::reverse(erased))
      op->erase();
  }

private:
  void keep(Value value) {
    if (needed.insert(value).second)
      pending.push_back(value);
  }

  /// Keeps the sources of a value.
  void keepSources(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
    if (op == kernel)
      return;
    keep(op);
    const unsigned number =
        argument ? argument.getArgNumber() : cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      keep(branch.thenYield().getOperand(number));
      keep(branch.elseYield().getOperand(number));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (argument && number == 0)
        return; // the induction variable
      const unsigned carried = argument ? number - 1 : number;
      keep(Value(loop.getRegionIterArgs()[carried]));
      keep(loop.getInitArgs()[carried]);
      keep(loop.getYieldedValues()[carried]);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      if (argument && argument.getOwner() == loop.getBeforeBody()) {
        keep(loop.getInits()[number]);
        keep(loop.getYieldOp().getOperand(number));
      } else {
        keep(loop.getConditionOp().getArgs()[number]);
      }
    }
  }

  /// Replaces the values that a branch or a loop passes on for operations that are erased.
  void replaceOthers(Operation *op) {
    auto replace = [&](auto operands) {
      for (OpOperand &operand : operands)
        if (!needed.contains(operand.get()))
          operand.set(zero(operand.get().getType()));
    };
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Block *block : {branch.thenBlock(), branch.elseBlock()})
        if (block)
          replace(cast<scf::YieldOp>(block->getTerminator()).getResultsMutable());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      replace(loop.getInitArgsMutable());
      replace(*loop.getYieldedValuesMutable());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      replace(loop.getInitsMutable());
      replace(loop.getConditionOp().getArgsMutable());
      replace(loop.getYieldOp().getResultsMutable());
    }
  }

  Value zero(Type type) {
    Value &value = zeros[type];
    if (value)
      return value;
    b.setInsertionPointToStart(&kernel.getBody().front());
    if (TypedAttr number = b.getZeroAttr(type))
      value = arith::ConstantOp::create(b, number);
    else
      value = LLVM::ZeroOp::create(b, type);
    return value;
  }

  gpu::GPUFuncOp kernel;
  ImplicitLocOpBuilder b;
  llvm::DenseSet<Operation *> kept;
  llvm::DenseSet<Value> needed;
  SmallVector<Value> pending;
  llvm::DenseMap<Type, Value> zeros;
};

} // namespace

gpu::GPUFuncOp makeDryRun(gpu::GPUFuncOp kernel, const llvm::DenseSet<Operation *> &guards) {
  OpBuilder b(kernel);
  b.setInsertionPointAfter(kernel);
  IRMapping mapping;
  auto copy = cast<gpu::GPUFuncOp>(b.clone(*kernel, mapping));
  copy.setName((kernel.getName() + kDryRunSuffix).str());
  Slice slice(copy);
  for (Operation *guard : guards)
    slice.keep(mapping.lookup(guard));
  slice.eraseOthers();
  return copy;
}

} // namespace fairlead::check
