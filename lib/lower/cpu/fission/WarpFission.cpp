/// Fission at warp collectives: code that all lanes of a warp execute together. The lanes' values
/// between two collectives form a vector, which LLVM keeps in registers.
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "ir/Builders.h"
#include "lower/cpu/fission/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Number types of machine vectors; the others are left to loops over lanes.
bool isVectorElement(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(1) || type.isInteger(8) ||
         type.isInteger(16) || type.isInteger(32) || type.isInteger(64);
}

} // namespace

void FissionBuilder::warpLoop(const Ops &ops, const Copies &copies) {
  auto warps = scf::ForOp::create(b, i32(0), count, i32(kWarpThreads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(warps.getBody()->getTerminator());
  inWarp = true;
  warpStart = warps.getInductionVar();
  lanes = i32(kWarpThreads);
  if (!wholeWarps)
    lanes = arith::MinSIOp::create(b, arith::SubIOp::create(b, count, warpStart), lanes);
  warpOperations(ops);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (escapes(result, ops))
        storeVector(arrayFor(result), result.getType(), lanesOf(result), warpStart);
  SmallVector<Value> left;
  for (const Copy &copy : copies)
    left.push_back(lanesOf(copy.value));
  for (auto [copy, value] : llvm::zip(copies, left))
    storeVector(copy.array, copy.value.getType(), value, warpStart);
  // Outside, these are read from the arrays.
  for (Operation *op : ops)
    lazy.erase(op);
  inWarp = false;
  warpScalars.clear();
  vectors.clear();
  builtValues.clear();
  scratch.clear();
}

template <typename Range> void FissionBuilder::warpOperations(Range &&ops) {
  Ops pending;
  for (Operation *op : ops)
    warpOperation(op, pending);
  flushLanes(pending);
}

void FissionBuilder::warpBlock(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  warpOperations(ops);
}

void FissionBuilder::warpOperation(Operation *op, Ops &pending) {
  if (isa<gpu::ThreadIdOp>(op)) {
    lazy.insert(op);
    return;
  }
  if (isScalar(op, pending))
    return cloneScalar(op);
  if (isPlain(op) && !readsPending(op, pending)) {
    if (uniform.cheap(op->getResult(0))) {
      lazy.insert(op);
      return;
    }
    if (isVectorizable(op))
      return vectorOperation(op);
  }
  if (laneAccess(op, pending))
    return;
  if (!endsLoops(op)) {
    pending.insert(op);
    return;
  }
  flushLanes(pending);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    warpIf(branch);
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    warpFor(loop);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    warpWhile(loop);
  else {
    tellTogether(op, warpStart);
    cast<CpuOp>(op).emitTogether(*this);
  }
}

/// Stores a vector's lanes to memory, for a loop over lanes that will read them.
void FissionBuilder::prepare(Value value) {
  if (findScalar(value) || own.contains(value))
    return;
  Operation *op = value.getDefiningOp();
  if (op && lazy.contains(op)) {
    for (Value operand : op->getOperands())
      prepare(operand);
    return;
  }
  if (auto vector = vectors.find(value); vector != vectors.end())
    storeVector(scratchFor(value), value.getType(), vector->second, i32(0));
}

void FissionBuilder::flushLanes(Ops &pending) {
  if (pending.empty())
    return;
  llvm::SetVector<Value> inputs;
  for (Operation *op : pending)
    visitInputs(op, [&](Value input) {
      Operation *definition = input.getDefiningOp();
      if (!(definition && pending.contains(definition)))
        inputs.insert(input);
    });
  for (Value input : inputs)
    prepare(input);
  SmallVector<Value> results;
  for (Operation *op : pending)
    for (Value result : op->getResults())
      if (escapes(result, pending))
        results.push_back(result);
  overLanes([&](Thread &thread) {
    for (Operation *op : pending)
      cloneFor(thread, op);
    for (Value result : results)
      storeElement(scratchFor(result), thread.values.lookup(result), thread.lane);
  });
  for (Value result : results)
    vectors[result] = loadVector(scratchFor(result), result.getType(), i32(0));
  pending.clear();
}

/// threadIdx of the thread with the given index in the block.
void FissionBuilder::placeThread(Thread &thread) {
  if (extents && (*extents)[1] == 1 && (*extents)[2] == 1) {
    thread.index[0] = thread.linear;
    thread.index[1] = thread.index[2] = i32(0);
    return;
  }
  Value first = thread.linear;
  bool rows = extents && (*extents)[0] % kWarpThreads == 0 && thread.lane;
  if (rows)
    first = warpStart; // a warp lies within a row
  thread.index[0] = arith::RemUIOp::create(b, first, blockDim[0]);
  Value row = arith::DivUIOp::create(b, first, blockDim[0]);
  thread.index[1] = arith::RemUIOp::create(b, row, blockDim[1]);
  thread.index[2] = arith::DivUIOp::create(b, row, blockDim[1]);
  if (rows)
    thread.index[0] =
        arith::AddIOp::create(b, thread.index[0], thread.lane, arith::IntegerOverflowFlags::nsw);
}

void FissionBuilder::overLanes(llvm::function_ref<void(Thread &)> body) {
  loop(
      lanes,
      [&](Value lane) {
        Thread thread;
        thread.lane = lane;
        thread.linear = arith::AddIOp::create(b, warpStart, lane, arith::IntegerOverflowFlags::nsw);
        placeThread(thread);
        body(thread);
      },
      wholeWarps ? kWarpThreads : 0);
}

FissionBuilder::Thread FissionBuilder::laneZero() {
  Thread thread;
  thread.linear = inWarp ? warpStart : i32(0);
  if (inWarp)
    thread.lane = i32(0);
  placeThread(thread);
  return thread;
}

static Type memoryVector(Type element) { return VectorType::get({kWarpThreads}, element); }

Value FissionBuilder::loadVector(Value array, Type type, Value index) {
  Type element = storageType(type);
  Value vector = LLVM::LoadOp::create(b, memoryVector(element), elementAddress(array, type, index),
                                      vectorAlignment(element));
  if (!type.isInteger(1))
    return vector;
  return arith::TruncIOp::create(b, vectorType(type), vector);
}

void FissionBuilder::storeVector(Value array, Type type, Value vector, Value index) {
  Type element = storageType(type);
  if (type.isInteger(1))
    vector = arith::ExtUIOp::create(b, memoryVector(element), vector);
  LLVM::StoreOp::create(b, vector, elementAddress(array, type, index), vectorAlignment(element));
}

Value FissionBuilder::splat(Value value) {
  Value element = value.getType().isIndex() ? toStorage(value) : value;
  Type type = vectorType(value.getType());
  Value one = LLVM::InsertElementOp::create(b, LLVM::UndefOp::create(b, type), element, i32(0));
  return shuffleVector(one, SmallVector<int32_t>(kWarpThreads, 0));
}

Value FissionBuilder::shuffleVector(Value value, ArrayRef<int32_t> order) {
  return LLVM::ShuffleVectorOp::create(b, value, value, b.getDenseI32ArrayAttr(order));
}

/// `first`, `first` + 1, ...
static Value countUp(ImplicitLocOpBuilder &b, Value first) {
  SmallVector<int32_t> steps(kWarpThreads);
  for (int32_t lane = 0; lane < kWarpThreads; ++lane)
    steps[lane] = lane;
  auto type = cast<VectorType>(first.getType());
  Value numbers = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(steps)));
  return arith::AddIOp::create(b, first, numbers);
}

/// Computes a lazy value for all lanes, at its use.
Value FissionBuilder::lazyVector(Value value) {
  Operation *op = value.getDefiningOp();
  auto cast = dyn_cast<arith::IndexCastOp>(op);
  auto id = cast ? cast.getIn().getDefiningOp<gpu::ThreadIdOp>() : gpu::ThreadIdOp();
  if (id && cast.getType().isInteger(32)) {
    Divergence divergence = uniform.of(id.getResult());
    if (divergence != Divergence::Any) {
      Thread first = laneZero();
      Value index = splat(first.index[static_cast<int>(id.getDimension())]);
      return isSameInWarp(divergence) ? index : countUp(b, index);
    }
  }
  if (isVectorizable(op))
    return vectorOf(op);
  prepare(value);
  overLanes([&](Thread &thread) {
    storeElement(scratchFor(value), threadValue(thread, value), thread.lane);
  });
  return loadVector(scratchFor(value), value.getType(), i32(0));
}

/// Returns the value of each lane.
Value FissionBuilder::lanesOf(Value value) {
  if (Value scalar = findScalar(value))
    return splat(scalar);
  if (auto vector = vectors.find(value); vector != vectors.end())
    return vector->second;
  if (Operation *op = value.getDefiningOp(); (op && lazy.contains(op)) || own.contains(value))
    return lazyVector(value);
  if (auto array = arrays.find(value); array != arrays.end())
    return loadVector(array->second, value.getType(), warpStart);
  broken(value, "is not there for a warp");
  return LLVM::UndefOp::create(b, vectorType(value.getType()));
}

bool FissionBuilder::isVectorizable(Operation *op) const {
  // Divisions could fail in absent lanes, and processors have no vector instruction for them.
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumResults() != 1 ||
      !OpTrait::hasElementwiseMappableTraits(op) ||
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::RemFOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return false;
  return isVectorElement(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), isVectorElement);
}

Value FissionBuilder::vectorOf(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lanesOf(operand));
  OperationState state(b.getLoc(), op->getName(), operands,
                       TypeRange{vectorType(op->getResult(0).getType())}, op->getAttrs());
  return b.create(state)->getResult(0);
}

Value FissionBuilder::laneTable(Value vector) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  Value table = makeArray(element, kWarpThreads);
  storeVector(table, element, vector, i32(0));
  return table;
}

void FissionBuilder::computeLanes(Value result, ValueRange inputs,
                                  llvm::function_ref<Value(Value, ValueRange)> element) {
  for (Value input : inputs)
    prepare(input);
  overLanes([&](Thread &thread) {
    SmallVector<Value> values;
    for (Value input : inputs)
      values.push_back(threadValue(thread, input));
    storeElement(scratchFor(result), element(thread.lane, values), thread.lane);
  });
  vectors[result] = loadVector(scratchFor(result), result.getType(), i32(0));
}

void FissionBuilder::vectorOperation(Operation *op) { vectors[op->getResult(0)] = vectorOf(op); }

SmallVector<Type> FissionBuilder::warpTypes(ValueRange values) const {
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(uniform.inWarp(value) ? value.getType() : vectorType(value.getType()));
  return types;
}

void FissionBuilder::bindWarp(ValueRange originals, ValueRange values) {
  for (auto [original, value] : llvm::zip(originals, values))
    if (uniform.inWarp(original))
      warpScalars.map(original, value);
    else
      vectors[original] = value;
}

SmallVector<Value> FissionBuilder::leavingWarp(ValueRange targets, ValueRange values) {
  SmallVector<Value> left;
  for (auto [target, value] : llvm::zip(targets, values))
    left.push_back(uniform.inWarp(target) ? scalar(value) : lanesOf(value));
  return left;
}

void FissionBuilder::warpIf(scf::IfOp op) {
  auto branch = scf::IfOp::create(b, warpTypes(op.getResults()), scalar(op.getCondition()),
                                  /*addThenBlock=*/true, op.elseBlock() != nullptr);
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&to.front());
    warpBlock(from.front());
    scf::YieldOp::create(b,
                         leavingWarp(op.getResults(), from.front().getTerminator()->getOperands()));
  }
  bindWarp(op.getResults(), branch.getResults());
}

void FissionBuilder::warpFor(scf::ForOp op) {
  ValueRange carried = op.getRegionIterArgs();
  auto loop = scf::ForOp::create(b, scalar(op.getLowerBound()), scalar(op.getUpperBound()),
                                 scalar(op.getStep()), leavingWarp(carried, op.getInitArgs()),
                                 ir::leaveOpen, op.getUnsignedCmp());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    warpScalars.map(op.getInductionVar(), loop.getInductionVar());
    bindWarp(carried, loop.getRegionIterArgs());
    warpBlock(*op.getBody());
    scf::YieldOp::create(b, leavingWarp(carried, op.getBody()->getTerminator()->getOperands()));
  }
  bindWarp(op.getResults(), loop.getResults());
}

void FissionBuilder::warpWhile(scf::WhileOp op) {
  ValueRange before = op.getBeforeArguments(), after = op.getAfterArguments();
  auto loop = scf::WhileOp::create(b, warpTypes(after), leavingWarp(before, op.getInits()));
  OpBuilder::InsertionGuard guard(b);
  auto enter = [&](Region &region, ValueRange originals) {
    SmallVector<Location> locations(originals.size(), b.getLoc());
    Block *block = b.createBlock(&region, {}, warpTypes(originals), locations);
    bindWarp(originals, block->getArguments());
  };
  enter(loop.getBefore(), before);
  warpBlock(op.getBefore().front());
  scf::ConditionOp condition = op.getConditionOp();
  scf::ConditionOp::create(b, scalar(condition.getCondition()),
                           leavingWarp(after, condition.getArgs()));
  enter(loop.getAfter(), after);
  warpBlock(op.getAfter().front());
  scf::YieldOp::create(b, leavingWarp(before, op.getYieldOp()->getOperands()));
  bindWarp(op.getResults(), loop.getResults());
}

} // namespace fairlead::lower
