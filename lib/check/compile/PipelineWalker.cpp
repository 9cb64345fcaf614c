#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "check/compile/PipelineWarp.h"
#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::check {

using Status = PipelineWalker::Status;

void PipelineWalker::begin(Block &body) { push(&body, all, nullptr); }

void PipelineWalker::push(Block *body, LaneMask lanes, Operation *owner) {
  frames.push_back({body, body->begin(), lanes, owner});
}

LaneValue PipelineWalker::valueOf(Value value) {
  auto at = values.find(value);
  return at == values.end() ? LaneValue::unknown(value.getDefiningOp()) : at->second;
}

Status PipelineWalker::lose(Operation *op, std::string reason, Operation *origin) {
  if (!undecided)
    undecided = Undecided{std::move(reason), op, origin};
  return Status::Lost;
}

std::optional<LaneValue> PipelineWalker::known(Operation *op, Value value) {
  LaneValue number = valueOf(value);
  if (number.test) {
    lose(op, "a barrier, or a number of it, depends on the result of a try_wait");
    return std::nullopt;
  }
  if (number.isKnown())
    return number;
  lose(op,
       "a barrier, or a number of it, depends on a value that is known only when the kernel runs",
       number.origin);
  return std::nullopt;
}

/// True if a lane cannot go past the operation while others of its warp stay away.
static bool needsWholeWarp(Operation *op) {
  auto collective = dyn_cast<ir::CollectiveOp>(op);
  if (!collective || collective.getScope() == ir::Scope::Lane)
    return false;
  return collective.getScope() != ir::Scope::Warp || op->getNumOperands() == 0;
}

bool PipelineWalker::othersMayHelp() {
  constexpr int64_t kMostSteps = 20000;
  const auto leave = [&](LaneMask waiting) {
    for (Frame &frame : frames)
      frame.mask &= ~waiting;
    while (!frames.empty() && !mask())
      frames.pop_back();
  };
  leave(mask());
  for (int64_t i = 0; i < kMostSteps; ++i) {
    if (frames.empty())
      return false;
    Operation *op = at();
    if (needsWholeWarp(op))
      leave(mask());
    else if (op->getNumRegions() == 0 && slice.synchronises(op))
      return true;
    else if (step(op) == Status::Lost)
      return true;
  }
  return true;
}

Status PipelineWalker::run() {
  constexpr int64_t kStepsOfTurn = 20000;
  for (int64_t i = 0; i < kStepsOfTurn; ++i) {
    if (frames.empty())
      return Status::Done;
    Status status = step(at());
    if (status != Status::Ran)
      return status;
  }
  return Status::Ran;
}

Status PipelineWalker::step(Operation *op) {
  ++steps;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return terminate(op);
  if (!slice.computes(op)) {
    ++frames.back().next;
    return Status::Ran;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return enterIf(branch);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return enterFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return enterWhile(loop);
  if (op->getNumRegions() > 0 && slice.synchronises(op))
    return lose(op, "its control flow is not followed");
  if (std::optional<Status> status = execute(op)) {
    if (*status == Status::Ran || *status == Status::Yielded)
      ++frames.back().next;
    return *status;
  }
  return executeMemory(op);
}

//===--- control flow --------------------------------------------------------------------------===

LaneMask PipelineWalker::lanesWith(const LaneValue &condition, LaneMask among) const {
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if (condition[lane] != 0)
      lanes |= LaneMask{1} << lane;
  return lanes & among;
}

void PipelineWalker::resetResults(Operation *op) {
  for (Value result : op->getResults())
    set(result, LaneValue::uniform(0));
}

void PipelineWalker::assignResults(Operation *op, ValueRange from, LaneMask lanes) {
  if (!lanes)
    return;
  for (auto [result, value] : llvm::zip(op->getResults(), from))
    values[result].assign(valueOf(value), lanes, all);
}

/// Goes past an operation with regions whose way is not known and synchronises nothing.
void PipelineWalker::skip(Operation *op, Operation *origin) {
  for (Value result : op->getResults())
    set(result, LaneValue::unknown(origin));
  op->walk([&](LLVM::StoreOp store) {
    Value address = store.getAddr();
    while (Operation *source = address.getDefiningOp()) {
      if (auto at = allocations.find(source); at != allocations.end()) {
        constexpr int64_t kMost = 1 << 24;
        for (auto cell = memory.begin(); cell != memory.end(); ++cell)
          if (cell->first >= at->second && cell->first < at->second + kMost)
            cell->second = LaneValue::unknown(store);
        break;
      }
      if (source->getNumOperands() == 0)
        break;
      address = source->getOperand(0);
    }
  });
  ++frames.back().next;
}

int PipelineWalker::decidingTest() const {
  for (const Frame &frame : llvm::reverse(frames))
    if (frame.test)
      return frame.test;
  return 0;
}

/// True if the branch has the same effect for both answers of the test of an mbarrier: a wait for
/// the same phase follows a test that fails.
bool PipelineWalker::isDeterminate(scf::IfOp op, const LaneValue &condition) const {
  if (!slice.synchronises(op))
    return true;
  if (condition.test == LaneValue::kSeveralTests || !condition.isUniform())
    return false;
  const bool ended = tests[static_cast<size_t>(condition.test - 1)].ended;
  Region &ifEnded = ended == (condition[0] != 0) ? op.getThenRegion() : op.getElseRegion();
  Region &ifNot = &ifEnded == &op.getThenRegion() ? op.getElseRegion() : op.getThenRegion();
  return !slice.synchronises(ifEnded) && slice.onlyWaits(ifNot);
}

Status PipelineWalker::enterIf(scf::IfOp op) {
  const LaneValue condition = valueOf(op.getCondition());
  if (!condition.isKnown()) {
    if (slice.synchronises(op))
      return lose(op,
                  "a branch around synchronisation depends on a value that is known only when the "
                  "kernel runs",
                  condition.origin);
    skip(op, condition.origin);
    return Status::Ran;
  }
  if (condition.test && !isDeterminate(op, condition))
    return lose(op, "the result of a try_wait decides about more than a wait for the same phase");
  const LaneMask lanes = mask();
  const LaneMask then = lanesWith(condition, lanes), otherwise = lanes & ~then;
  resetResults(op);
  for (Value result : op->getResults())
    values[result].dependOn(condition.test);
  ++frames.back().next;
  if (otherwise && !op.getElseRegion().empty()) {
    push(op.elseBlock(), otherwise, op);
    frames.back().test = condition.test;
  }
  if (then) {
    push(op.thenBlock(), then, op);
    frames.back().test = condition.test;
  }
  return Status::Ran;
}

Status PipelineWalker::enterFor(scf::ForOp op) {
  LaneValue low = valueOf(op.getLowerBound()), high = valueOf(op.getUpperBound()),
            stride = valueOf(op.getStep());
  for (const LaneValue *bound : {&low, &high, &stride})
    if (!bound->isKnown() || bound->test) {
      if (slice.synchronises(op))
        return lose(op,
                    bound->test
                        ? "the result of a try_wait decides how often a loop with synchronisation "
                          "turns"
                        : "the turns of a loop with synchronisation are known only when the "
                          "kernel runs",
                    bound->origin);
      skip(op, bound->origin);
      return Status::Ran;
    }
  const LaneMask lanes = mask();
  ++frames.back().next;
  push(op.getBody(), lanes, op);
  Frame &frame = frames.back();
  frame.index = std::move(low);
  frame.bound = std::move(high);
  frame.stride = std::move(stride);
  resetResults(op);
  for (auto [argument, init] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs()))
    set(argument, valueOf(init));
  if (!turnFor(frame))
    frames.pop_back();
  return Status::Ran;
}

/// Begins the next turn; false if no lane has one.
bool PipelineWalker::turnFor(Frame &frame) {
  auto op = cast<scf::ForOp>(frame.owner);
  LaneMask active = 0;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if (frame.index[lane] < frame.bound[lane])
      active |= LaneMask{1} << lane;
  active &= frame.mask;
  assignResults(op, op.getRegionIterArgs(), frame.mask & ~active);
  frame.mask = active;
  frame.next = frame.block->begin();
  set(op.getInductionVar(), frame.index);
  return active != 0;
}

Status PipelineWalker::enterWhile(scf::WhileOp op) {
  if (!slice.synchronises(op) &&
      llvm::none_of(op.getResults(), [](Value v) { return !v.use_empty(); })) {
    skip(op, op);
    return Status::Ran;
  }
  const LaneMask lanes = mask();
  ++frames.back().next;
  resetResults(op);
  for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits()))
    set(argument, valueOf(init));
  push(op.getBeforeBody(), lanes, op);
  return Status::Ran;
}

Status PipelineWalker::endCondition(scf::ConditionOp op) {
  Frame &frame = frames.back();
  auto loop = cast<scf::WhileOp>(frame.owner);
  const LaneValue condition = valueOf(op.getCondition());
  if (!condition.isKnown()) {
    if (slice.synchronises(loop))
      return lose(op,
                  "the turns of a loop with synchronisation are known only when the kernel runs",
                  condition.origin);
    frames.pop_back();
    for (Value result : loop.getResults())
      set(result, LaneValue::unknown(condition.origin));
    return Status::Ran;
  }
  if (condition.test && slice.synchronises(loop) &&
      !(slice.onlyWaits(loop.getBefore()) && slice.onlyWaits(loop.getAfter())))
    return lose(loop,
                "the result of a try_wait decides how often a loop with synchronisation turns");
  const LaneMask active = lanesWith(condition, frame.mask);
  assignResults(loop, op.getArgs(), frame.mask & ~active);
  for (Value result : loop.getResults())
    values[result].dependOn(condition.test);
  if (!active) {
    frames.pop_back();
    return Status::Ran;
  }
  SmallVector<LaneValue> next;
  for (Value argument : op.getArgs())
    next.push_back(valueOf(argument));
  for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), next))
    set(argument, value);
  frame.mask = active;
  frame.block = loop.getAfterBody();
  frame.next = frame.block->begin();
  return Status::Ran;
}

Status PipelineWalker::terminate(Operation *op) {
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return endCondition(condition);
  Frame &frame = frames.back();
  Operation *owner = frame.owner;
  if (isa_and_nonnull<scf::IfOp>(owner)) {
    const int test = frame.test;
    assignResults(owner, op->getOperands(), frame.mask);
    for (Value result : owner->getResults())
      values[result].dependOn(test);
    frames.pop_back();
    return Status::Ran;
  }
  SmallVector<LaneValue> next;
  for (Value operand : op->getOperands())
    next.push_back(valueOf(operand));
  if (auto loop = dyn_cast_or_null<scf::ForOp>(owner)) {
    for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), next))
      set(argument, value);
    const LaneValue index = frame.index, stride = frame.stride;
    frame.index = index.isUniform() && stride.isUniform()
                      ? LaneValue::uniform(index[0] + stride[0])
                      : LaneValue::each([&](unsigned lane) { return index[lane] + stride[lane]; });
    if (!turnFor(frame))
      frames.pop_back();
    return Status::Ran;
  }
  if (auto loop = dyn_cast_or_null<scf::WhileOp>(owner)) {
    for (auto [argument, value] : llvm::zip(loop.getBeforeArguments(), next))
      set(argument, value);
    frame.block = loop.getBeforeBody();
    frame.next = frame.block->begin();
    return Status::Ran;
  }
  frames.pop_back(); // the end of the function
  return Status::Done;
}

//===--- addresses and registers ---------------------------------------------------------------===

LaneValue PipelineWalker::offsetOf(LLVM::GEPOp op) {
  const DataLayout layout = DataLayout::closest(op);
  auto indices = op.getIndices();
  const LaneValue base = valueOf(op.getBase());
  if (indices.size() != 1 || !base.isKnown())
    return LaneValue::unknown(base.isKnown() ? op.getOperation() : base.origin);
  LaneValue index = isa<IntegerAttr>(indices[0])
                        ? LaneValue::uniform(cast<IntegerAttr>(indices[0]).getInt())
                        : valueOf(cast<Value>(indices[0]));
  if (!index.isKnown())
    return index;
  const auto size = static_cast<int64_t>(layout.getTypeSize(op.getElemType()).getFixedValue());
  auto ofLane = [&](unsigned lane) { return base[lane] + index[lane] * size; };
  return base.isUniform() && index.isUniform() ? LaneValue::uniform(ofLane(0))
                                               : LaneValue::each(ofLane);
}

void PipelineWalker::load(LLVM::LoadOp op) {
  const LaneValue address = valueOf(op.getAddr());
  LaneValue result = LaneValue::unknown(op);
  if (address.isKnown() && isPrivate(address[0]) && op.getType().isIntOrIndex()) {
    if (address.isUniform()) {
      auto cell = memory.find(address[0]);
      result = cell == memory.end() ? result : cell->second;
    } else {
      bool complete = true;
      int test = 0;
      LaneValue gathered = LaneValue::each([&](unsigned lane) -> int64_t {
        auto cell = memory.find(address[lane]);
        const bool has = cell != memory.end() && cell->second.isKnown();
        complete &= has;
        test = has && cell->second.test ? cell->second.test : test;
        return has ? cell->second[lane] : 0;
      });
      gathered.dependOn(test);
      if (complete)
        result = std::move(gathered);
    }
  }
  set(op.getResult(), std::move(result));
}

void PipelineWalker::forget(int64_t address, Type type) {
  const DataLayout layout;
  const auto bytes = static_cast<int64_t>(layout.getTypeSize(type).getFixedValue());
  for (int64_t byte = 0; byte < bytes; ++byte)
    memory.erase(address + byte);
}

void PipelineWalker::store(LLVM::StoreOp op) {
  const LaneValue address = valueOf(op.getAddr());
  if (!address.isKnown()) {
    skip(op, op); // goes on, too
    return;
  }
  if (isPrivate(address[0])) {
    const Type type = op.getValue().getType();
    const bool isNumber = type.isIntOrIndex();
    const LaneValue value = isNumber ? valueOf(op.getValue()) : LaneValue::unknown(op);
    for (unsigned lane = 0; lane < (address.isUniform() ? 1u : kWarpLanes); ++lane) {
      if (!isNumber) {
        forget(address[lane], type);
        continue;
      }
      LaneValue &cell = memory[address[lane]];
      if (!cell.isKnown() && !cell.origin)
        cell = LaneValue::uniform(0);
      cell.assign(value, address.isUniform() ? mask() : mask() & LaneMask{1} << lane, all);
    }
  }
  ++frames.back().next;
}

Status PipelineWalker::executeMemory(Operation *op) {
  constexpr int64_t kStride = 1 << 24;
  if (auto alloca = dyn_cast<LLVM::AllocaOp>(op)) {
    auto [at, added] =
        allocations.try_emplace(op, kPrivate + static_cast<int64_t>(allocations.size()) * kStride);
    set(alloca.getResult(), LaneValue::uniform(at->second));
  } else if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
    set(gep.getResult(), offsetOf(gep));
  } else if (isa<LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::AddrSpaceCastOp>(op)) {
    LaneValue number = valueOf(op->getOperand(0));
    if (number.isKnown() && op->getResult(0).getType().isInteger(32)) {
      const LaneValue bits = number;
      number = LaneValue::each([&](unsigned lane) { return static_cast<int32_t>(bits[lane]); });
      number.dependOn(bits.test);
    }
    set(op->getResult(0), std::move(number));
  } else if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
    auto type = cast<LLVM::LLVMPointerType>(address.getType());
    set(address.getResult(),
        type.getAddressSpace() == 3 ? LaneValue::uniform(0) : LaneValue::unknown(op));
  } else if (auto loaded = dyn_cast<LLVM::LoadOp>(op)) {
    load(loaded);
  } else if (auto stored = dyn_cast<LLVM::StoreOp>(op)) {
    store(stored);
    return Status::Ran;
  } else {
    SmallVector<LaneValue> operands;
    for (Value operand : op->getOperands())
      operands.push_back(valueOf(operand));
    LaneValue result = evaluate(op, operands);
    for (const LaneValue &operand : operands)
      result.dependOn(operand.test);
    for (Value value : op->getResults())
      set(value, result);
  }
  ++frames.back().next;
  return Status::Ran;
}

} // namespace fairlead::check
