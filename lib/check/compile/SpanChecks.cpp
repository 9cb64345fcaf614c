#include "check/compile/SpanChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

#include "dsl/trace/RuntimeCalls.h"
#include "fairlead/CheckCpu.h"
#include "lower/common/Calls.h"
#include "lower/common/PlainOps.h"

using namespace mlir;

namespace fairlead::check {
namespace {

constexpr char kMadeAttribute[] = "fairlead.made", kTakenAttribute[] = "fairlead.taken";
/// Operands of the runtime's functions.
constexpr unsigned kSite = 0, kAddress = 2, kBase = 3, kSize = 4, kRangeBytes = 5;

enum class Kind { None, Access, TensorRange, Range, Order, Inside };

Kind kindOf(Operation *op) {
  if (op->hasAttr(kInsideAttribute))
    return Kind::Inside;
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (!call || !call.getCallee())
    return Kind::None;
  for (const auto &[function, kind] :
       {std::pair(&runtime::FairleadCheckAccess, Kind::Access),
        std::pair(&runtime::FairleadCheckTensorRange, Kind::TensorRange),
        std::pair(&runtime::FairleadCheckRange, Kind::Range),
        std::pair(&runtime::FairleadCheckOrder, Kind::Order)})
    if (*call.getCallee() == function->name)
      return kind;
  return Kind::None;
}

bool isRange(Kind kind) { return kind == Kind::TensorRange || kind == Kind::Range; }

/// Returns the address that the checks yield if they pass.
Value addressOf(Operation *op) {
  return op->hasAttr(kInsideAttribute) ? cast<scf::IfOp>(op).thenYield().getOperand(0)
                                       : op->getOperand(kAddress);
}

/// Collects the comparisons of a condition. Returns false if it contains anything else.
bool comparisonsOf(Value condition, SmallVectorImpl<arith::CmpIOp> &found) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return comparisonsOf(both.getLhs(), found) && comparisonsOf(both.getRhs(), found);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (compare)
    found.push_back(compare);
  return compare != nullptr;
}

} // namespace

//===--- which checks --------------------------------------------------------------------------===

/// Returns false if an operation has to stay unchanged.
bool SpanChecks::collect(Operation *op, Check path) {
  Kind kind = kindOf(op);
  if (kind == Kind::Order)
    ordered = true;
  if (kind == Kind::Access || kind == Kind::Inside || isRange(kind)) {
    path.op = op;
    bool can = canMake(path);
    if (kind == Kind::Access) {
      accesses = true;
      allAccesses = allAccesses && can;
    }
    if (can)
      checks.push_back(path);
    return can;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Check branchPath = path;
    branchPath.branches.push_back(branch);
    for (Operation &inner : branch.thenBlock()->without_terminator())
      collect(&inner, branchPath);
    if (branch.elseBlock()) {
      // The else side does not run if the branch must be taken, but that is not certain.
      branchPath.op = nullptr;
      branchPath.branches.back() = {};
      for (Operation &inner : branch.elseBlock()->without_terminator())
        collect(&inner, branchPath);
    }
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    path.loops.push_back(loop);
    for (Operation &inner : loop.getBody()->without_terminator())
      collect(&inner, path);
  } else {
    // The iterations of other regions are not known before they run.
    path.branches.push_back({});
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          collect(&inner, path);
  }
  return true;
}

bool SpanChecks::canMake(const Check &check) {
  constexpr size_t kMostLoops = kDimensions - kThreadDimensions;
  if (check.loops.size() > kMostLoops)
    return false;
  loops = {};
  for (size_t i = 0; i < check.loops.size(); ++i) {
    scf::ForOp loop = check.loops[i];
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (dimensionsOf(bound) != 0U)
        return false;
  }
  loops = check.loops;
  for (scf::IfOp branch : check.branches)
    if (!branch || !canTake(branch))
      return false;
  switch (kindOf(check.op)) {
  case Kind::Access: {
    auto what = lower::constantOf(check.op->getOperand(3));
    return what && !(*what & (kFairleadCheckSync | kFairleadCheckRows)) &&
           (*what & kFairleadCheckKind) != kFairleadCheckCopy &&
           dimensionsOf(check.op->getOperand(kAddress));
  }
  case Kind::TensorRange:
  case Kind::Range:
    return lower::constantOf(check.op->getOperands().back()) &&
           dimensionsOf(check.op->getOperand(kAddress)) &&
           dimensionsOf(check.op->getOperand(kBase)) == 0U &&
           (kindOf(check.op) == Kind::TensorRange ||
            dimensionsOf(check.op->getOperand(kSize)) == 0U);
  default: {
    SmallVector<arith::CmpIOp> comparisons;
    if (!comparisonsOf(cast<scf::IfOp>(check.op).getCondition(), comparisons))
      return false;
    return llvm::all_of(comparisons, [&](arith::CmpIOp compare) {
      return dimensionsOf(compare.getLhs()) && dimensionsOf(compare.getRhs()) == 0U;
    });
  }
  }
}

/// True if code before the loop can test that all threads take the branch.
bool SpanChecks::canTake(scf::IfOp branch) {
  if (branch->hasAttr(kInsideAttribute))
    return false;
  SmallVector<arith::CmpIOp> comparisons;
  if (dimensionsOf(branch.getCondition()) == 0U)
    return true;
  if (!comparisonsOf(branch.getCondition(), comparisons))
    return false;
  return llvm::all_of(comparisons, [&](arith::CmpIOp compare) {
    using arith::CmpIPredicate;
    CmpIPredicate predicate = compare.getPredicate();
    return (predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle ||
            predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge) &&
           dimensionsOf(compare.getLhs()) && dimensionsOf(compare.getRhs());
  });
}

/// Returns the dimensions that a value depends on, if it is an affine function of them.
SpanChecks::Dimensions SpanChecks::dimensionsOf(Value value) {
  for (auto [i, loop] : llvm::enumerate(loops))
    if (value == const_cast<scf::ForOp &>(loop).getInductionVar())
      return 1U << (kThreadDimensions + i);
  if (scalarOf(value))
    return 0U;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return 1U << static_cast<unsigned>(id.getDimension());
  if (Kind kind = kindOf(op); kind == Kind::Inside || isRange(kind))
    return dimensionsOf(addressOf(op));
  if (!lower::isPlain(op))
    return std::nullopt;
  unsigned all = 0;
  SmallVector<unsigned> each;
  for (Value operand : op->getOperands()) {
    Dimensions depends = dimensionsOf(operand);
    if (!depends)
      return std::nullopt;
    all |= *depends;
    each.push_back(*depends);
  }
  if (all == 0 ||
      isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp, LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::IntToPtrOp, LLVM::PtrToIntOp>(
          op))
    return all;
  if (isa<arith::MulIOp>(op) && (each[0] == 0 || each[1] == 0))
    return all;
  if (isa<arith::ShLIOp>(op) && each[1] == 0)
    return all;
  return std::nullopt;
}

//===--- values --------------------------------------------------------------------------------===

Value SpanChecks::i64(int64_t value) { return lower::i64Constant(b, value); }

/// Converts an index, an integer or an address to an i64.
Value SpanChecks::number(Value value) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(b, b.getI64Type(), value);
  return lower::extendTo64(b, value);
}

Value SpanChecks::evaluate(Value value, Point &point) {
  for (auto [induction, index] : point.inductions)
    if (value == induction)
      return index;
  if (Value scalar = scalarOf(value))
    return scalar;
  if (Value evaluated = point.known.lookup(value))
    return evaluated;
  Operation *op = value.getDefiningOp();
  Value result;
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op)) {
    result = arith::IndexCastOp::create(b, id.getType(),
                                        point.thread[static_cast<int>(id.getDimension())]);
  } else if (Kind kind = kindOf(op); kind == Kind::Inside || isRange(kind)) {
    result = evaluate(addressOf(op), point);
  } else {
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, evaluate(operand, point));
    result = b.clone(*op, operands)->getResult(cast<OpResult>(value).getResultNumber());
  }
  point.known[value] = result;
  return result;
}

/// Returns the first thread and iteration, advanced by one in the dimensions of `steps`; or the
/// last thread and iteration.
SpanChecks::Point SpanChecks::pointAt(unsigned steps, bool last) {
  Point point;
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  Type i32 = b.getI32Type();
  Value one = constant(i32, 1);
  for (int d = 0; d < kThreadDimensions; ++d) {
    Value at = d == 0 ? threads.first : constant(i32, 0);
    if (last)
      at = arith::AddIOp::create(b, at, arith::SubIOp::create(b, threads.count[d], one));
    else if (steps >> d & 1)
      at = arith::AddIOp::create(b, at, one);
    point.thread[d] = at;
  }
  Point none;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    scf::ForOp forLoop = loop;
    Value at = evaluate(forLoop.getLowerBound(), none), step = evaluate(forLoop.getStep(), none);
    if (last) {
      Value type = arith::SubIOp::create(b, rounds[i], i64(1));
      Value times =
          at.getType().isIndex()       ? Value(arith::IndexCastOp::create(b, at.getType(), type))
          : at.getType().isInteger(64) ? type
                                       : Value(arith::TruncIOp::create(b, at.getType(), type));
      at = arith::AddIOp::create(b, at, arith::MulIOp::create(b, times, step));
    } else if (steps >> (kThreadDimensions + i) & 1) {
      at = arith::AddIOp::create(b, at, step);
    }
    point.inductions.emplace_back(forLoop.getInductionVar(), at);
  }
  return point;
}

Value SpanChecks::roundsOf(scf::ForOp loop) {
  Point none;
  Value low = number(evaluate(loop.getLowerBound(), none));
  Value high = number(evaluate(loop.getUpperBound(), none));
  Value step = number(evaluate(loop.getStep(), none));
  Value room = arith::SubIOp::create(b, high, low);
  // Rounded up; steps are positive.
  room = arith::AddIOp::create(b, room, arith::SubIOp::create(b, step, i64(1)));
  room = arith::MaxSIOp::create(b, room, i64(0));
  return arith::DivSIOp::create(b, room, step);
}

void SpanChecks::enter(const Check &check) {
  loops = {};
  rounds.clear();
  SmallVector<Value> found;
  for (scf::ForOp loop : check.loops)
    found.push_back(roundsOf(loop));
  loops = check.loops;
  rounds = std::move(found);
}

Value SpanChecks::difference(Value value, Point &first, int dimension) {
  Point next = pointAt(1U << dimension, false);
  return arith::SubIOp::create(b, number(evaluate(value, next)), number(evaluate(value, first)));
}

//===--- conditions ----------------------------------------------------------------------------===

void SpanChecks::require(Value condition) {
  passes = passes ? Value(arith::AndIOp::create(b, passes, condition)) : condition;
}

/// Returns the least and the greatest value. The affine map does not describe sums that overflow.
SpanChecks::Reach SpanChecks::reachOf(Value value) {
  unsigned depends = *dimensionsOf(value);
  Point first = pointAt(0, false);
  Value start = number(evaluate(value, first)), low = start, high = start, end = start;
  for (int d = 0; d < kDimensions; ++d) {
    if (!(depends >> d & 1))
      continue;
    Value times = d < kThreadDimensions
                      ? Value(arith::ExtSIOp::create(b, b.getI64Type(), threads.count[d]))
                      : rounds[d - kThreadDimensions];
    Value way = arith::MulIOp::create(b, difference(value, first, d),
                                      arith::SubIOp::create(b, times, i64(1)));
    low = arith::AddIOp::create(b, low, arith::MinSIOp::create(b, way, i64(0)));
    high = arith::AddIOp::create(b, high, arith::MaxSIOp::create(b, way, i64(0)));
    end = arith::AddIOp::create(b, end, way);
  }
  if (depends) {
    Point last = pointAt(0, true);
    require(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, end, number(evaluate(value, last))));
  }
  return {low, high};
}

void SpanChecks::requireTrue(Value condition) {
  if (dimensionsOf(condition) == 0U) {
    Point none;
    return require(evaluate(condition, none));
  }
  SmallVector<arith::CmpIOp> comparisons;
  comparisonsOf(condition, comparisons);
  for (arith::CmpIOp compare : comparisons) {
    Reach left = reachOf(compare.getLhs()), right = reachOf(compare.getRhs());
    bool less = compare.getPredicate() == arith::CmpIPredicate::slt ||
                compare.getPredicate() == arith::CmpIPredicate::sle;
    require(arith::CmpIOp::create(b, compare.getPredicate(), less ? left.high : left.low,
                                  less ? right.low : right.high));
  }
}

void SpanChecks::requireInside(scf::IfOp inside) {
  SmallVector<arith::CmpIOp> comparisons;
  comparisonsOf(inside.getCondition(), comparisons);
  Point none;
  for (arith::CmpIOp compare : comparisons) {
    Reach reach = reachOf(compare.getLhs());
    Value extent = number(evaluate(compare.getRhs(), none));
    require(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, reach.low, i64(0)));
    require(arith::CmpIOp::create(b, arith::CmpIPredicate::slt, reach.high, extent));
  }
}

/// Checks accesses of memory with a known size, without a call of the runtime.
void SpanChecks::requireRange(LLVM::CallOp range) {
  Point none;
  Reach reach = reachOf(range.getOperand(kAddress));
  Value base = number(evaluate(range.getOperand(kBase), none));
  // These sums do not overflow: shared memory is not at the end of the address space.
  Value room = arith::SubIOp::create(b, number(evaluate(range.getOperand(kSize), none)),
                                     number(evaluate(range.getOperand(kRangeBytes), none)));
  auto distance = [&](Value address) { return arith::SubIOp::create(b, address, base); };
  require(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, distance(reach.low), i64(0)));
  require(arith::CmpIOp::create(b, arith::CmpIPredicate::sle, distance(reach.high), room));
}

//===--- spans ---------------------------------------------------------------------------------===

void SpanChecks::fill(Value array, int64_t at, Value value) {
  Value place = LLVM::GEPOp::create(b, array.getType(), b.getI64Type(), array,
                                    ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(at)});
  LLVM::StoreOp::create(b, value, place);
}

constexpr int64_t kSpanWords = sizeof(FairleadCheckSpan) / sizeof(int64_t);

void SpanChecks::fillSpan(Value array, int64_t at, Operation *op) {
  auto field = [&](size_t offset, Value value) {
    fill(array, at + static_cast<int64_t>(offset / sizeof(int64_t)), value);
  };
  Point none, first = pointAt(0, false), last = pointAt(0, true);
  Value address = op->getOperand(kAddress);
  field(offsetof(FairleadCheckSpan, site), number(evaluate(op->getOperand(kSite), none)));
  field(offsetof(FairleadCheckSpan, first), number(evaluate(address, first)));
  field(offsetof(FairleadCheckSpan, last), number(evaluate(address, last)));
  Kind kind = kindOf(op);
  Value base = i64(0);
  int64_t what = 0;
  if (kind == Kind::Access) {
    what = *lower::constantOf(op->getOperand(3));
  } else {
    base = number(evaluate(op->getOperand(kBase), none));
    int64_t bytes = lower::constantOf(op->getOperands().back()).value_or(1);
    what = kFairleadCheckOnlyInside | bytes << 8;
  }
  field(offsetof(FairleadCheckSpan, base), base);
  field(offsetof(FairleadCheckSpan, what), i64(what));
  unsigned depends = *dimensionsOf(address);
  for (int d = 0; d < kDimensions; ++d)
    field(offsetof(FairleadCheckSpan, stride) + d * sizeof(int64_t),
          depends >> d & 1 ? difference(address, first, d) : i64(0));
  for (size_t i = 0; i < kDimensions - kThreadDimensions; ++i)
    field(offsetof(FairleadCheckSpan, rounds) + i * sizeof(int64_t),
          i < rounds.size() ? rounds[i] : i64(1));
}

/// True if all blocks of a launch, with the same threads, report the same span of shared memory.
bool SpanChecks::isSameInBlocks(const Check &check) {
  if (kindOf(check.op) != Kind::Access)
    return false;
  enter(check);
  for (scf::ForOp loop : check.loops)
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (!isOfLaunch(bound))
        return false;
  ofLaunch.clear(); // of other loops
  Value address = check.op->getOperand(kAddress);
  if (!isOfLaunch(address))
    return false;
  // Addresses of parameters are of global memory.
  bool shared = false, global = false;
  for (auto [value, same] : ofLaunch)
    if (isa<LLVM::LLVMPointerType>(value.getType())) {
      shared |= value.getDefiningOp<LLVM::AddressOfOp>() != nullptr;
      global |= isa<BlockArgument>(value);
    }
  return shared && !global;
}

/// True if a value depends only on parameters, constants, the extents of the launch, and the
/// threads and iterations of a span.
bool SpanChecks::isOfLaunch(Value value) {
  auto [known, added] = ofLaunch.try_emplace(value, false);
  if (!added)
    return known->second;
  bool is = false;
  Operation *op = value.getDefiningOp();
  if (!op) {
    Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
    is = isa<gpu::GPUFuncOp>(parent) ||
         llvm::any_of(loops, [&](scf::ForOp loop) { return value == loop.getInductionVar(); });
  } else if (Kind kind = kindOf(op); kind == Kind::Inside || isRange(kind)) {
    is = isOfLaunch(addressOf(op));
  } else if (op->getNumOperands() == 0) {
    is = isa<gpu::ThreadIdOp, gpu::BlockDimOp, gpu::GridDimOp, LLVM::AddressOfOp>(op) ||
         matchPattern(op, m_Constant());
  } else {
    is = lower::isPlain(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isOfLaunch(operand); });
  }
  ofLaunch[value] = is;
  return is;
}

Value SpanChecks::callSpans(const RuntimeFunction &function, ArrayRef<Value> what) {
  Type i64Type = b.getI64Type();
  SmallVector<Value> arguments(what);
  for (Value count : threads.count)
    arguments.push_back(arith::ExtSIOp::create(b, i64Type, count));
  arguments.push_back(threads.first);
  Value result = callRuntime(b, function, arguments);
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, result, zero);
}

/// Reports the spans to the runtime. Emits a flag that is true if they are all valid.
Value SpanChecks::tell(ArrayRef<const Check *> spans, Value array) {
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  auto fillAll = [&] {
    for (auto [i, check] : llvm::enumerate(spans)) {
      enter(*check);
      fillSpan(array, static_cast<int64_t>(i) * kSpanWords, check->op);
    }
    return callSpans(runtime::FairleadCheckSpans, {array, i32(static_cast<int64_t>(spans.size()))});
  };
  if (!llvm::all_of(spans, [&](const Check *check) { return isSameInBlocks(*check); }))
    return fillAll();
  Value repeats = callSpans(runtime::FairleadCheckRepeats, {i32(step)});
  auto branch = scf::IfOp::create(b, TypeRange{b.getI1Type()}, repeats, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, repeats);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, fillAll());
  return branch.getResult(0);
}

Value SpanChecks::emit(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    collect(op, {});
  // Single accesses between spans would split them.
  if (checks.empty() || (accesses && (ordered || !allAccesses)))
    return {};
  llvm::DenseSet<Operation *> taken;
  SmallVector<const Check *> spans;
  for (const Check &check : checks) {
    enter(check);
    check.op->setAttr(kMadeAttribute, b.getUnitAttr());
    for (scf::IfOp branch : check.branches)
      if (taken.insert(branch).second) {
        branch->setAttr(kTakenAttribute, b.getUnitAttr());
        requireTrue(branch.getCondition());
      }
    if (kindOf(check.op) == Kind::Inside)
      requireInside(cast<scf::IfOp>(check.op));
    else if (kindOf(check.op) == Kind::Range)
      requireRange(cast<LLVM::CallOp>(check.op));
    else
      spans.push_back(&check);
  }
  if (spans.empty())
    return passes;
  auto number = static_cast<int64_t>(spans.size());
  Value array = makeArray(number * kSpanWords);
  if (!passes)
    return tell(spans, array);
  auto branch = scf::IfOp::create(b, TypeRange{b.getI1Type()}, passes, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, tell(spans, array));
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, Value(arith::ConstantOp::create(b, b.getBoolAttr(false))));
  return branch.getResult(0);
}

//===--- copies without them -------------------------------------------------------------------===

bool SpanChecks::isMade(Operation *op) { return op->hasAttr(kMadeAttribute); }

Value SpanChecks::passed(Operation *op) { return op->getNumResults() ? addressOf(op) : Value(); }

void SpanChecks::strip(Operation *copy) {
  SmallVector<Operation *> made, taken;
  copy->walk([&](Operation *op) {
    if (op != copy && isMade(op))
      made.push_back(op);
    else if (op->hasAttr(kTakenAttribute))
      taken.push_back(op);
  });
  for (Operation *op : taken) {
    OpBuilder before(op);
    op->setOperand(0, arith::ConstantOp::create(before, op->getLoc(), before.getBoolAttr(true)));
    op->removeAttr(kTakenAttribute);
  }
  for (Operation *op : made) {
    if (Value address = passed(op))
      op->getResult(0).replaceAllUsesWith(address);
    op->erase();
  }
}

void SpanChecks::forget(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    op->walk([](Operation *inner) {
      inner->removeAttr(kMadeAttribute);
      inner->removeAttr(kTakenAttribute);
    });
}

} // namespace fairlead::check
