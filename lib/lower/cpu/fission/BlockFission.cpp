/// Fission at barriers: code that all threads of a block execute together.
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "check/compile/Checks.h"
#include "check/compile/SpanChecks.h"
#include "ir/Analysis/MemoryUse.h"
#include "ir/Builders.h"
#include "lower/common/Calls.h"
#include "lower/cpu/fission/FissionBuilder.h"
#include "lower/cpu/threads/ThreadGuard.h"

using namespace mlir;

namespace fairlead::lower {

/// `leave` names what threads keep when the region ends.
void FissionBuilder::blockRegion(Block &block, llvm::function_ref<Copies()> leave) {
  Ops pending;
  for (Operation &op : block.without_terminator())
    blockOperation(&op, pending);
  flushBlock(pending, leave());
}

void FissionBuilder::blockOperation(Operation *op, Ops &pending) {
  if (isa<LLVM::AllocaOp>(op))
    return;
  if (isa<gpu::ThreadIdOp>(op)) {
    lazy.insert(op);
    return;
  }
  if (isScalar(op, pending))
    return cloneScalar(op);
  if (isPlain(op) && !readsPending(op, pending) && uniform.cheap(op->getResult(0))) {
    lazy.insert(op);
    return;
  }
  if (!isBlockWide(op)) {
    pending.insert(op);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return blockFor(loop, pending);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return blockWhile(loop, pending);
  flushBlock(pending);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return blockIf(branch);
  tellTogether(op, {});
  cast<CpuOp>(op).emitTogether(*this);
}

/// Reports to the runtime that threads are together here, if it tracks the kernel's accesses.
void FissionBuilder::tellTogether(Operation *op, Value first) {
  if (kernel->hasAttr(check::kShadowedAttribute) && !ir::accessesMemory(op))
    callRuntime(b, runtime::FairleadCheckTogether, {first ? first : i32(-1)});
}

void FissionBuilder::flushBlock(Ops &pending, const Copies &copies) {
  if (pending.empty() && copies.empty())
    return;
  if (llvm::any_of(pending, endsLoops))
    warpLoop(pending, copies);
  else
    threadLoops(pending, copies);
  pending.clear();
}

void FissionBuilder::threadLoops(const Ops &pending, const Copies &copies) {
  if (scf::IfOp branch = guardOf(pending, copies)) {
    auto bound = matchThreadBound(branch.getCondition(),
                                  [&](Value value) { return !uniform.inBlock(value); });
    auto body = [&](Thread &thread) {
      for (Operation &op : branch.thenBlock()->without_terminator())
        cloneFor(thread, &op);
      SmallVector<Value> left;
      for (const Copy &copy : copies) {
        auto result = cast<OpResult>(copy.value).getResultNumber();
        left.push_back(threadValue(thread, branch.thenYield().getOperand(result)));
      }
      for (auto [copy, value] : llvm::zip(copies, left))
        storeElement(copy.array, value, thread.linear);
    };
    SmallVector<Operation *> ops;
    for (Operation &op : branch.thenBlock()->without_terminator())
      ops.push_back(&op);
    if (bound && bound->exact)
      return overOneThread(distance(*bound),
                           [&](Value index) { checkedThreads(ops, blockDim[0], body, index); });
    if (bound)
      return checkedThreads(ops, narrowedEnd(*bound), body);
  }
  checkedThreads(pending.getArrayRef(), blockDim[0], [&](Thread &thread) {
    for (Operation *op : pending) {
      cloneFor(thread, op);
      for (Value result : op->getResults())
        if (escapes(result, pending))
          storeElement(arrayFor(result), thread.values.lookup(result), thread.linear);
    }
    SmallVector<Value> left;
    for (const Copy &copy : copies)
      left.push_back(threadValue(thread, copy.value));
    for (auto [copy, value] : llvm::zip(copies, left))
      storeElement(copy.array, value, thread.linear);
  });
}

/// Like overThreads, but emits the body (`ops`) twice if its checks can be made beforehand for all
/// of these threads: the version without checks runs if they pass.
void FissionBuilder::checkedThreads(ArrayRef<Operation *> ops, Value end,
                                    llvm::function_ref<void(Thread &)> body, Value only) {
  if (!check::checkFlags(kernel))
    return overThreads(end, body, only);
  check::SpanChecks checks(
      b, {only ? only : i32(0), {only ? i32(1) : end, blockDim[1], blockDim[2]}}, ++checkedSteps,
      [&](Value value) { return findScalar(value); },
      [&](int64_t words) { return makeArray(b.getI64Type(), words); });
  if (Value pass = checks.emit(ops)) {
    auto branch = scf::IfOp::create(b, pass, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    checksMade = true;
    overThreads(end, body, only);
    checksMade = false;
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    overThreads(end, body, only);
  } else {
    overThreads(end, body, only);
  }
  check::SpanChecks::forget(ops);
}

/// for z, for y, for x up to `end`; a dimension known to have one thread needs no loop.
/// With `only`, the thread of that x alone, in each row.
void FissionBuilder::overThreads(Value end, llvm::function_ref<void(Thread &)> body, Value only) {
  Thread thread;
  auto dimension = [&](int d, Value stop, llvm::function_ref<void()> inner) {
    if (d == 0 && only) {
      thread.index[d] = only;
      return inner();
    }
    if (extents && (*extents)[d] == 1 && stop == blockDim[d]) {
      thread.index[d] = i32(0);
      return inner();
    }
    loop(stop, [&](Value index) {
      thread.index[d] = index;
      inner();
    });
  };
  auto flat = [&] { return extents && (*extents)[1] == 1 && (*extents)[2] == 1; };
  dimension(2, blockDim[2], [&] {
    dimension(1, blockDim[1], [&] {
      Value row;
      if (!flat()) {
        row = arith::MulIOp::create(b, thread.index[2], blockDim[1]);
        row = arith::AddIOp::create(b, row, thread.index[1]);
        row = arith::MulIOp::create(b, row, blockDim[0], arith::IntegerOverflowFlags::nsw);
      }
      dimension(0, end, [&] {
        thread.linear = row ? Value(arith::AddIOp::create(b, row, thread.index[0],
                                                          arith::IntegerOverflowFlags::nsw))
                            : thread.index[0];
        body(thread);
      });
    });
  });
}

/// Runs the body for the thread with x = `index`, a number of 64 bits, if it exists.
void FissionBuilder::overOneThread(Value index, llvm::function_ref<void(Value)> body) {
  auto compare = [&](arith::CmpIPredicate predicate, Value with) -> Value {
    return arith::CmpIOp::create(b, predicate, index, with);
  };
  Value zero = i64Constant(b, 0);
  Value exists =
      arith::AndIOp::create(b, compare(arith::CmpIPredicate::sge, zero),
                            compare(arith::CmpIPredicate::slt, extendTo64(b, blockDim[0])));
  auto branch = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  body(arith::TruncIOp::create(b, b.getI32Type(), index));
}

/// Returns the branch if `pending` is only that, and threads that skip it change nothing.
scf::IfOp FissionBuilder::guardOf(const Ops &pending, const Copies &copies) const {
  auto branch = pending.size() == 1 ? dyn_cast<scf::IfOp>(pending.front()) : scf::IfOp();
  if (!branch || (branch.elseBlock() && !branch.elseBlock()->without_terminator().empty()))
    return {};
  for (Value result : branch.getResults())
    if (!result.hasOneUse() ||
        !result.getUses().begin()->getOwner()->hasTrait<OpTrait::IsTerminator>())
      return {};
  for (const Copy &copy : copies) {
    if (copy.value.getDefiningOp() != branch)
      return {};
    Value otherwise = branch.elseYield().getOperand(cast<OpResult>(copy.value).getResultNumber());
    auto array = arrays.find(otherwise);
    if (array == arrays.end() || array->second != copy.array)
      return {};
  }
  return copies.size() == branch.getNumResults() ? branch : scf::IfOp();
}

/// Emits bound - terms in 64 bits: threads with a smaller x pass.
Value FissionBuilder::distance(const ThreadBound &bound) {
  Value room = extendTo64(b, scalar(bound.bound));
  if (bound.inclusive)
    room = arith::AddIOp::create(b, room, i64Constant(b, 1));
  for (Value term : bound.terms)
    room = arith::SubIOp::create(b, room, extendTo64(b, scalar(term)));
  for (Value condition : bound.uniform)
    room =
        arith::SelectOp::create(b, scalar(condition), room, i64Constant(b, bound.exact ? -1 : 0));
  return room;
}

/// Returns the end of a loop over x whose body is all under `if (terms + threadIdx.x < bound)`.
Value FissionBuilder::narrowedEnd(const ThreadBound &bound) {
  Value none = i64Constant(b, 0);
  Value room = arith::MaxSIOp::create(b, distance(bound), none);
  room = arith::MinSIOp::create(b, room, extendTo64(b, blockDim[0]));
  return arith::TruncIOp::create(b, b.getI32Type(), room);
}

namespace {

/// Selects from a region's arguments or results: the scalars, or the values that threads keep.
template <typename Keep>
SmallVector<Value> select(ValueRange choosers, ValueRange values, Keep keep) {
  SmallVector<Value> kept;
  for (auto [chooser, value] : llvm::zip(choosers, values))
    if (keep(chooser))
      kept.push_back(value);
  return kept;
}

SmallVector<Type> typesOf(ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [](Value value) { return value.getType(); });
}

} // namespace

/// The copies that bring `values` to the arrays of `targets`, where these are not scalars.
FissionBuilder::Copies FissionBuilder::copiesTo(ValueRange targets, ValueRange values) {
  Copies copies;
  for (auto [target, value] : llvm::zip(targets, values))
    if (!uniform.inBlock(target))
      copies.push_back({value, arrayFor(target)});
  return copies;
}

SmallVector<Value> FissionBuilder::scalarsFor(ValueRange targets, ValueRange values) {
  SmallVector<Value> found;
  for (auto [target, value] : llvm::zip(targets, values))
    if (uniform.inBlock(target))
      found.push_back(scalar(value));
  return found;
}

void FissionBuilder::bindScalars(ValueRange originals, ValueRange values) {
  unsigned next = 0;
  for (Value original : originals)
    if (uniform.inBlock(original))
      scalars.map(original, values[next++]);
}

void FissionBuilder::blockIf(scf::IfOp op) {
  auto inBlock = [&](Value value) { return uniform.inBlock(value); };
  SmallVector<Type> types = typesOf(select(op.getResults(), op.getResults(), inBlock));
  auto branch = scf::IfOp::create(b, types, scalar(op.getCondition()), /*addThenBlock=*/true,
                                  op.elseBlock() != nullptr);
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&to.front());
    ValueRange yielded = from.front().getTerminator()->getOperands();
    blockRegion(from.front(), [&] { return copiesTo(op.getResults(), yielded); });
    scf::YieldOp::create(b, scalarsFor(op.getResults(), yielded));
  }
  bindScalars(op.getResults(), branch.getResults());
}

void FissionBuilder::blockFor(scf::ForOp op, Ops &pending) {
  ValueRange carried = op.getRegionIterArgs();
  flushBlock(pending, copiesTo(carried, op.getInitArgs()));
  auto loop = scf::ForOp::create(b, scalar(op.getLowerBound()), scalar(op.getUpperBound()),
                                 scalar(op.getStep()), scalarsFor(carried, op.getInitArgs()),
                                 ir::leaveOpen, op.getUnsignedCmp());
  for (auto [result, argument] : llvm::zip(op.getResults(), carried))
    if (!uniform.inBlock(argument))
      arrays[result] = arrayFor(argument);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    scalars.map(op.getInductionVar(), loop.getInductionVar());
    bindScalars(carried, loop.getRegionIterArgs());
    ValueRange yielded = op.getBody()->getTerminator()->getOperands();
    blockRegion(*op.getBody(), [&] { return copiesTo(carried, yielded); });
    scf::YieldOp::create(b, scalarsFor(carried, yielded));
  }
  bindScalars(op.getResults(), loop.getResults());
}

void FissionBuilder::blockWhile(scf::WhileOp op, Ops &pending) {
  ValueRange before = op.getBeforeArguments(), after = op.getAfterArguments();
  flushBlock(pending, copiesTo(before, op.getInits()));
  SmallVector<Value> inits = scalarsFor(before, op.getInits());
  auto inBlock = [&](Value value) { return uniform.inBlock(value); };
  SmallVector<Type> types = typesOf(select(after, after, inBlock));
  auto loop = scf::WhileOp::create(b, types, inits);
  for (auto [result, argument] : llvm::zip(op.getResults(), after))
    if (!uniform.inBlock(argument))
      arrays[result] = arrayFor(argument);
  OpBuilder::InsertionGuard guard(b);
  auto enter = [&](Region &region, ArrayRef<Type> arguments, ValueRange originals) {
    SmallVector<Location> locations(arguments.size(), b.getLoc());
    Block *block = b.createBlock(&region, {}, arguments, locations);
    bindScalars(originals, block->getArguments());
  };
  enter(loop.getBefore(), typesOf(inits), before);
  scf::ConditionOp condition = op.getConditionOp();
  blockRegion(op.getBefore().front(), [&] { return copiesTo(after, condition.getArgs()); });
  scf::ConditionOp::create(b, scalar(condition.getCondition()),
                           scalarsFor(after, condition.getArgs()));
  enter(loop.getAfter(), types, after);
  ValueRange yielded = op.getYieldOp()->getOperands();
  blockRegion(op.getAfter().front(), [&] { return copiesTo(before, yielded); });
  scf::YieldOp::create(b, scalarsFor(before, yielded));
  bindScalars(op.getResults(), loop.getResults());
}

} // namespace fairlead::lower
