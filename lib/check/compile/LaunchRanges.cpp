#include "check/compile/LaunchRanges.h"

#include <cstdlib>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include "lower/common/Divergence.h"
#include "lower/common/PlainOps.h"

using namespace mlir;

namespace fairlead::check {
namespace {

/// Parameters and products beyond this are not looked at: sums of lesser numbers do not overflow.
constexpr int64_t kMostNumber = int64_t{1} << 50;
/// The largest factor, and the largest one of a small constant.
constexpr int64_t kMostFactor = int64_t{1} << 31, kSmall = int64_t{1} << 12;
/// The largest value that a loop carries.
constexpr int64_t kMostCarried = int64_t{1} << 30;
/// The largest distance of two numbers that is compared without a launch.
constexpr int64_t kMostConstant = int64_t{1} << 60;
/// The deepest nesting of carried values that is followed.
constexpr unsigned kMostNested = 3;
/// The most minima, maxima and choices that a proof about numbers takes apart.
constexpr int kMostChoices = 4;

} // namespace

//===--- numbers of the host -------------------------------------------------------------------===

/// Returns the number that one of as many bits or more is equal to.
static Value withoutExtensions(Value number) {
  auto width = [](Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); };
  for (Operation *op = number.getDefiningOp();
       isa_and_nonnull<arith::ExtSIOp, arith::IndexCastOp>(op) &&
       width(op->getOperand(0).getType()) <= width(number.getType());
       op = number.getDefiningOp())
    number = op->getOperand(0);
  return number;
}

HostNumbers::HostNumbers(ImplicitLocOpBuilder &b, ArrayRef<Value> extents) : b(b) {
  for (Value extent : extents)
    this->extents.insert(withoutExtensions(extent));
}

Value HostNumbers::constant(int64_t number) {
  Value &value = constants[number];
  if (!value)
    value = arith::ConstantOp::create(b, b.getI64IntegerAttr(number));
  return value;
}

template <typename Op> Value HostNumbers::make(Value left, Value right) {
  Value &value = emitted[{TypeID::get<Op>().getAsOpaquePointer(), left.getAsOpaquePointer(),
                          right.getAsOpaquePointer()}];
  if (!value)
    value = Op::create(b, left, right);
  return value;
}

Value HostNumbers::emit(Sum sum) {
  if (!sum.number)
    return constant(sum.constant);
  return sum.constant ? make<arith::AddIOp>(sum.number, constant(sum.constant)) : sum.number;
}

HostNumbers::Sum HostNumbers::of(Value integer) {
  if (auto number = lower::constantOf(integer))
    return {{}, *number};
  Type type = integer.getType();
  if (type.isInteger(64))
    return {integer, 0};
  Value &value = emitted[{TypeID::get<arith::ExtSIOp>().getAsOpaquePointer(),
                          integer.getAsOpaquePointer(), nullptr}];
  if (!value)
    value = type.isIndex() ? Value(arith::IndexCastOp::create(b, b.getI64Type(), integer))
                           : Value(arith::ExtSIOp::create(b, b.getI64Type(), integer));
  return {value, 0};
}

HostNumbers::Sum HostNumbers::add(Sum a, Sum other) {
  if (!a.number || !other.number)
    return {a.number ? a.number : other.number, a.constant + other.constant};
  return {make<arith::AddIOp>(a.number, other.number), a.constant + other.constant};
}

HostNumbers::Sum HostNumbers::subtract(Sum a, Sum other) {
  if (!other.number)
    return {a.number, a.constant - other.constant};
  if (a.number == other.number)
    return {{}, a.constant - other.constant};
  Value first = a.number ? a.number : constant(0);
  return {make<arith::SubIOp>(first, other.number), a.constant - other.constant};
}

HostNumbers::Sum HostNumbers::multiply(Sum a, Sum other) {
  if (!a.number)
    std::swap(a, other);
  if (other.number)
    return {make<arith::MulIOp>(emit(a), emit(other)), 0};
  if (!a.number || other.constant == 0)
    return {{}, a.constant * other.constant};
  if (other.constant == 1)
    return a;
  return {make<arith::MulIOp>(a.number, constant(other.constant)), a.constant * other.constant};
}

template <typename Op> HostNumbers::Sum HostNumbers::extreme(Sum a, Sum other, bool takesFirst) {
  if (a.number == other.number)
    return takesFirst ? a : other;
  return {make<Op>(emit(a), emit(other)), 0};
}

HostNumbers::Sum HostNumbers::divide(Sum a, Sum divisor) {
  if (!divisor.number && divisor.constant == 1)
    return a;
  if (!a.number && !divisor.number)
    return {{}, a.constant / std::max<int64_t>(divisor.constant, 1)};
  return {make<arith::DivSIOp>(emit(a), emit(greatest(divisor, {{}, 1}))), 0};
}

HostNumbers::Sum HostNumbers::fill(Sum a) {
  if (!a.number)
    return {{},
            static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(
                64 - llvm::countl_zero(static_cast<uint64_t>(a.constant) & ~(1ull << 63))))};
  Value number = emit(a), one = constant(1);
  // 2^63 / 2^z - 1, where z leading bits are 0 and z is 1 or more: the number is not negative.
  Value zeros = LLVM::CountLeadingZerosOp::create(b, b.getI64Type(), number, false);
  Value atLeastOne = arith::MaxSIOp::create(b, zeros, one);
  Value ones = arith::ShRUIOp::create(b, constant(-1), atLeastOne);
  Value none = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, constant(0));
  return {arith::SelectOp::create(b, none, constant(0), ones), 0};
}

//===--- conditions ----------------------------------------------------------------------------===

LaunchRanges::LaunchRanges(ImplicitLocOpBuilder &b, gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel,
                           ArrayRef<Value> extents)
    : b(b), launch(launch), kernel(kernel), numbers(b, extents), scopes(1) {}

/// Returns the largest absolute value of a number of at most 32 bits.
static int64_t mostOfWord(Value word) {
  const int64_t most = int64_t{1} << (word.getType().getIntOrFloatBitWidth() - 1);
  Operation *op = word.getDefiningOp();
  auto constant =
      op && op->getNumOperands() == 2 ? lower::constantOf(op->getOperand(1)) : std::nullopt;
  if (!constant || *constant < 1)
    return most;
  if (isa<arith::ShRSIOp>(op))
    return std::max<int64_t>(most >> std::min<int64_t>(*constant, 31), 1);
  if (isa<arith::DivSIOp, arith::FloorDivSIOp>(op))
    return (most + *constant - 1) / *constant;
  return most;
}

std::optional<int64_t> HostNumbers::computeMost(Value number, int depth) {
  if (auto constant = lower::constantOf(number))
    return *constant >= -kMostNumber && *constant <= kMostNumber
               ? std::optional(std::abs(*constant))
               : std::nullopt;
  if (!number.getType().isIndex() && number.getType().getIntOrFloatBitWidth() <= 32)
    return mostOfWord(number);
  Operation *op = number.getDefiningOp();
  const bool chooses = isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp, arith::SelectOp>(op);
  if (depth == 0 || !(chooses || isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)))
    return {};
  const unsigned count = op->getNumOperands();
  auto left = mostOf(op->getOperand(count - 2), depth - 1),
       right = mostOf(op->getOperand(count - 1), depth - 1);
  if (!left || !right)
    return {};
  if (isa<arith::MulIOp>(op) && *right && *left > kMostNumber / *right)
    return {};
  const int64_t most = chooses                  ? std::max(*left, *right)
                       : isa<arith::MulIOp>(op) ? *left * *right
                                                : *left + *right;
  return most <= kMostNumber ? std::optional(most) : std::nullopt;
}

std::optional<int64_t> HostNumbers::mostOf(Value number, int depth) {
  number = withoutExtensions(number);
  if (auto computed = mosts.find(number); computed != mosts.end())
    return computed->second;
  auto most = computeMost(number, depth);
  return mosts[number] = most;
}

void HostNumbers::add(Terms &terms, Value number, int64_t factor) {
  number = withoutExtensions(number);
  // Sums of as many terms as one number has do not overflow.
  auto scaled = [&](std::optional<int64_t> constant) -> std::optional<int64_t> {
    int64_t product;
    if (!constant || llvm::MulOverflow(*constant, factor, product) ||
        std::abs(product) > kMostNumber)
      return {};
    return product;
  };
  if (auto product = scaled(lower::constantOf(number))) {
    terms.constant += *product;
    return;
  }
  // Words may overflow.
  Operation *op =
      number.getType().isInteger(64) && mostOf(number) ? number.getDefiningOp() : nullptr;
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    add(terms, op->getOperand(0), factor);
    return add(terms, op->getOperand(1), isa<arith::AddIOp>(op) ? factor : -factor);
  }
  if (isa_and_nonnull<arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (auto product = scaled(lower::constantOf(op->getOperand(i))))
        return add(terms, op->getOperand(1 - i), *product);
  terms.factors[number] += factor;
}

bool HostNumbers::isNeverPositive(Terms terms, int depth) {
  terms.factors.remove_if([](auto &term) { return term.second == 0; });
  auto most = std::optional(terms.constant);
  for (auto [number, factor] : terms.factors) {
    if (factor < 0 && extents.contains(number))
      continue;
    auto size = mostOf(number);
    int64_t product;
    if (!size || llvm::MulOverflow(*size, std::abs(factor), product) ||
        llvm::AddOverflow(*most, product, *most)) {
      most.reset();
      break;
    }
  }
  if (most && *most <= 0)
    return true;
  if (depth == 0)
    return false;
  for (auto [number, factor] : terms.factors) {
    Operation *op = number.getDefiningOp();
    auto with = [&](Value other, Value absent = {}) {
      Terms changed = terms;
      changed.factors.erase(number);
      add(changed, other, factor);
      if (const int64_t count = absent ? changed.factors.lookup(absent) : 0; count > 0)
        changed.factors.erase(absent); // it is at most 0
      return isNeverPositive(std::move(changed), depth - 1);
    };
    if (isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(op)) {
      const bool bounds = isa<arith::MinSIOp>(op) == (factor > 0);
      return bounds ? with(op->getOperand(0)) || with(op->getOperand(1))
                    : with(op->getOperand(0)) && with(op->getOperand(1));
    }
    auto select = dyn_cast_or_null<arith::SelectOp>(op);
    auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
    if (compare && compare.getPredicate() == arith::CmpIPredicate::sgt &&
        lower::constantOf(compare.getRhs()) == 0)
      return with(select.getTrueValue()) &&
             with(select.getFalseValue(), withoutExtensions(compare.getLhs()));
  }
  return false;
}

bool HostNumbers::isNeverAbove(Sum less, Sum greater) {
  Terms terms{{}, less.constant - greater.constant};
  if (std::abs(terms.constant) > kMostConstant)
    return false;
  if (less.number)
    add(terms, less.number, 1);
  if (greater.number)
    add(terms, greater.number, -1);
  return isNeverPositive(std::move(terms), kMostChoices);
}

bool LaunchRanges::require(Sum less, Sum greater) {
  const int64_t distance = less.constant - greater.constant;
  if (less.number == greater.number)
    return distance <= 0;
  if (numbers.isNeverAbove(less, greater))
    return true;
  if (!mayRequire)
    return false;
  auto [entry, added] = required.try_emplace(
      {less.number.getAsOpaquePointer(), greater.number.getAsOpaquePointer()}, distance);
  if (!added)
    entry->second = std::max(entry->second, distance);
  return true;
}

Value LaunchRanges::emitFailure() {
  Value fails;
  for (auto [sides, distance] : required) {
    Sum less{Value::getFromOpaquePointer(sides.first), distance};
    Sum greater{Value::getFromOpaquePointer(sides.second), 0};
    Value wrong = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, numbers.emit(less),
                                        numbers.emit(greater));
    fails = fails ? Value(arith::OrIOp::create(b, fails, wrong)) : wrong;
  }
  return fails;
}

void LaunchRanges::limit(Value value, std::optional<Sum> low, std::optional<Sum> high) {
  value = canonicals.of(value);
  auto &[known, knownHigh] = scopes.back().limits[value];
  if (low)
    known = known ? numbers.greatest(*known, *low) : *low;
  if (high)
    knownHigh = knownHigh ? numbers.least(*knownHigh, *high) : *high;
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return limit(op->getOperand(0), low, high);
  auto sum = dyn_cast<arith::AddIOp>(op);
  if (!sum)
    return;
  for (auto [one, other] :
       {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
    if (auto constant = lower::constantOf(other)) {
      auto shifted = [&](std::optional<Sum> bound) {
        if (bound)
          bound->constant -= *constant;
        return bound;
      };
      return limit(one, shifted(low), shifted(high));
    }
}

/// less + distance <= greater
void LaunchRanges::assumeOrder(Value less, Value greater, int64_t distance) {
  MaybeRange lower = of(less), upper = of(greater);
  if (upper)
    limit(less, {}, numbers.add(upper->high, {{}, -distance}));
  if (lower)
    limit(greater, numbers.add(lower->low, {{}, distance}), {});
}

void LaunchRanges::assume(Value condition, bool holds) {
  Operation *op = canonicals.of(condition).getDefiningOp();
  if (!op)
    return;
  if ((isa<arith::AndIOp>(op) && holds) || (isa<arith::OrIOp>(op) && !holds)) {
    assume(op->getOperand(0), holds);
    return assume(op->getOperand(1), holds);
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || compare.getLhs().getType().isInteger(1))
    return;
  Value left = compare.getLhs(), right = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  using enum arith::CmpIPredicate;
  switch (predicate) {
  case slt:
    return assumeOrder(left, right, 1);
  case sle:
    return assumeOrder(left, right, 0);
  case sgt:
    return assumeOrder(right, left, 1);
  case sge:
    return assumeOrder(right, left, 0);
  case eq:
    assumeOrder(left, right, 0);
    return assumeOrder(right, left, 0);
  case ne:
    // The size of a copy with a condition.
    if (auto size = left.getDefiningOp<arith::SelectOp>();
        size && lower::constantOf(right) &&
        lower::constantOf(right) == lower::constantOf(size.getFalseValue()))
      assume(size.getCondition(), true);
    return;
  default:
    return;
  }
}

template <typename Body> void LaunchRanges::within(Value condition, bool holds, const Body &body) {
  Scope scope;
  scope.limits = scopes.back().limits;
  scopes.push_back(std::move(scope));
  assume(condition, holds);
  scopes.back().ranges.clear(); // those of before the last limit
  body();
  scopes.pop_back();
}

//===--- guards --------------------------------------------------------------------------------===

llvm::DenseSet<Operation *> LaunchRanges::prove(Filter filter) {
  visit(kernel.getBody().front(), filter);
  return proven;
}

llvm::DenseSet<Operation *> LaunchRanges::proveAlways() {
  mayRequire = false;
  return prove([](ir::GuardOp) { return true; });
}

void LaunchRanges::visit(Block &block, Filter filter) {
  for (Operation &op : block) {
    if (auto guard = dyn_cast<ir::GuardOp>(op)) {
      if (filter(guard) && prove(guard))
        proven.insert(guard);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      visit(*loop.getBeforeBody(), filter);
      within(loop.getConditionOp().getCondition(), true,
             [&] { visit(*loop.getAfterBody(), filter); });
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      within(branch.getCondition(), true, [&] { visit(*branch.thenBlock(), filter); });
      if (branch.elseBlock())
        within(branch.getCondition(), false, [&] { visit(*branch.elseBlock(), filter); });
    } else {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visit(inner, filter);
    }
  }
}

bool LaunchRanges::prove(ir::GuardOp guard) {
  MaybeRange offset = of(guard.getOffset()), bytes = of(guard.getBytes()), low = of(guard.getLow()),
             high = of(guard.getHigh());
  return offset && bytes && low && high && require(low->high, offset->low) &&
         require(numbers.add(offset->high, bytes->high), high->low);
}

//===--- ranges --------------------------------------------------------------------------------===

LaunchRanges::MaybeRange LaunchRanges::of(Value value) {
  value = canonicals.of(value);
  if (!value.getType().isIntOrIndex())
    return {};
  auto computedRange = scopes.back().ranges.find(value);
  if (computedRange != scopes.back().ranges.end())
    return computedRange->second;
  MaybeRange range = compute(value);
  auto limits = scopes.back().limits.find(value);
  if (range && limits != scopes.back().limits.end()) {
    if (limits->second.first)
      range->low = numbers.greatest(range->low, *limits->second.first);
    if (limits->second.second)
      range->high = numbers.least(range->high, *limits->second.second);
  }
  scopes.back().ranges[value] = range;
  return range;
}

/// Numbers from 0 on, one for each of a launch's blocks or threads.
LaunchRanges::MaybeRange LaunchRanges::counted(Value extent) {
  return Range{{}, numbers.add(numbers.of(extent), {{}, -1})};
}

LaunchRanges::MaybeRange LaunchRanges::compute(Value value) {
  if (auto constant = lower::constantOf(value))
    return Range{{{}, *constant}, {{}, *constant}};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  Operation *op = value.getDefiningOp();
  auto exact = [&](Value number) {
    Sum sum = numbers.of(number);
    return Range{sum, sum};
  };
  auto along = [](gpu::KernelDim3 extents, gpu::Dimension dimension) {
    return dimension == gpu::Dimension::x   ? extents.x
           : dimension == gpu::Dimension::y ? extents.y
                                            : extents.z;
  };
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues(),
                  block = launch.getBlockSizeOperandValues();
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return counted(along(block, id.getDimension()));
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return counted(along(grid, id.getDimension()));
  if (auto extent = dyn_cast<gpu::BlockDimOp>(op))
    return exact(along(block, extent.getDimension()));
  if (auto extent = dyn_cast<gpu::GridDimOp>(op))
    return exact(along(grid, extent.getDimension()));
  if (isa<gpu::LaneIdOp, NVVM::LaneIdOp>(op))
    return Range{{}, {{}, lower::kWarpThreads - 1}};
  if (isa<NVVM::DynamicSmemSize>(op))
    return launch.getDynamicSharedMemorySize() ? exact(launch.getDynamicSharedMemorySize())
                                               : Range{};
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return ofChoice(branch.getCondition(), branch.thenYield().getOperand(number),
                    branch.elseYield().getOperand(number));
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return ofResult(loop, cast<OpResult>(value).getResultNumber());
  return ofArithmetic(op);
}

LaunchRanges::MaybeRange LaunchRanges::ofArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == kernel) {
    if (argument.getArgNumber() >= launch.getNumKernelOperands() || argument.getType().isInteger(1))
      return {};
    Sum sum = numbers.of(launch.getKernelOperand(argument.getArgNumber()));
    if (!require({{}, -kMostNumber}, sum) || !require(sum, {{}, kMostNumber}))
      return {};
    return Range{sum, sum};
  }
  const unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (loop.getUnsignedCmp())
      return {};
    return number == 0 ? ofInduction(loop)
                       : ofCarried(argument, loop.getInitArgs()[number - 1],
                                   loop.getYieldedValues()[number - 1]);
  }
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop)
    return {};
  return argument.getOwner() == loop.getAfterBody()
             ? of(loop.getConditionOp().getArgs()[number])
             : ofCarried(argument, loop.getInits()[number], loop.getYieldOp().getOperand(number));
}

//===--- values that loops carry ---------------------------------------------------------------===

LaunchRanges::MaybeRange LaunchRanges::ofResult(scf::ForOp loop, unsigned number) {
  scopes.emplace_back(); // without the conditions around the use
  MaybeRange range = either(of(loop.getInitArgs()[number]), of(loop.getYieldedValues()[number]));
  scopes.pop_back();
  return range;
}

/// Computes the range of the next value if that of this one is assumed. Whatever else it requires
/// is forgotten if `accepts` does not accept the result.
template <typename Accepts>
LaunchRanges::MaybeRange LaunchRanges::ofNext(Value argument, Value next, Range assumption,
                                              const Accepts &accepts) {
  auto before = required;
  assumptions[argument] = assumption;
  scopes.emplace_back();
  MaybeRange range = of(next);
  scopes.pop_back();
  assumptions.erase(argument);
  if (range && accepts(*range))
    return range;
  required = std::move(before);
  return {};
}

LaunchRanges::MaybeRange LaunchRanges::ofCarried(BlockArgument argument, Value first, Value next) {
  if (auto assumed = assumptions.find(argument); assumed != assumptions.end())
    return assumed->second;
  if (auto carriedRange = carried.find(argument); carriedRange != carried.end())
    return carriedRange->second;
  if (assumptions.size() >= kMostNested)
    return {};
  scopes.emplace_back(); // without the conditions around the place that asks
  MaybeRange range, start = of(first);
  if (start)
    range = ofCarried(argument, *start, next);
  scopes.pop_back();
  if (assumptions.empty())
    carried[argument] = range;
  return range;
}

LaunchRanges::MaybeRange LaunchRanges::ofCarried(BlockArgument argument, Range start, Value next) {
  auto isConstant = [](const Range &range) { return !range.low.number && !range.high.number; };
  if (isConstant(start)) { // a value that shrinks
    const Range all{{{}, std::min<int64_t>(start.low.constant, 0)},
                    {{}, std::max<int64_t>(start.high.constant, 0)}};
    MaybeRange following = ofNext(argument, next, all, [&](const Range &range) {
      return isConstant(range) && range.low.constant >= all.low.constant &&
             range.high.constant <= all.high.constant;
    });
    if (following)
      return either(start, following);
  }
  if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
    if (MaybeRange steps = ofSteps(argument, start, next, loop))
      return steps;
  if (auto end = restartOf(next)) { // a counter of stages
    const Range stages{{}, {{}, *end - 1}};
    MaybeRange following = ofNext(argument, next, stages, [&](const Range &range) {
      return isConstant(range) && range.low.constant >= 0 && range.high.constant < *end &&
             require({}, start.low) && require(start.high, stages.high);
    });
    if (following)
      return either(start, following);
  }
  // A value whose bounds do not depend on the one before, such as a remainder.
  const Range all{{}, {{}, kMostCarried}};
  MaybeRange following = ofNext(argument, next, all, [&](const Range &range) {
    return require({}, range.low) && require({}, start.low) && require(start.high, all.high) &&
           (range.high.number || range.high.constant < kMostCarried / 2) &&
           require(range.high, all.high);
  });
  return either(start, following);
}

/// Returns the constant at which a value starts again, as in `i + 1 == 3 ? 0 : i + 1`.
std::optional<int64_t> LaunchRanges::restartOf(Value next) {
  Operation *op = canonicals.of(next).getDefiningOp();
  if (!isa_and_nonnull<scf::IfOp, arith::SelectOp>(op))
    return {};
  auto compare = canonicals.of(op->getOperand(0)).getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return {};
  return lower::constantOf(compare.getRhs());
}

/// The range of a value that grows by a constant in each round.
LaunchRanges::MaybeRange LaunchRanges::ofSteps(Value argument, Range start, Value next,
                                               scf::ForOp loop) {
  auto sum = next.getDefiningOp<arith::AddIOp>();
  MaybeRange first = of(loop.getLowerBound()), end = of(loop.getUpperBound()),
             step = of(loop.getStep());
  if (!sum || !first || !end || !step || !step->isOne())
    return {};
  auto growth = lower::constantOf(sum.getLhs() == argument ? sum.getRhs() : sum.getLhs());
  if (!growth || (sum.getLhs() != argument && sum.getRhs() != argument))
    return {};
  Sum last = numbers.add(end->high, {{}, -1});
  Sum rounds = numbers.divide(numbers.subtract(last, first->low), step->low);
  MaybeRange way = product({rounds, rounds}, {{{}, *growth}, {{}, *growth}});
  if (!way)
    return {};
  return fitting(*growth < 0 ? Range{numbers.add(start.low, way->low), start.high}
                             : Range{start.low, numbers.add(start.high, way->high)},
                 sum);
}

/// True for conditions that never hold, such as the one of rounding a number that is not negative
/// down.
bool LaunchRanges::isNever(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (op && isa<arith::AndIOp>(op))
    return isNever(op->getOperand(0)) || isNever(op->getOperand(1));
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return false;
  MaybeRange left = of(compare.getLhs()), right = of(compare.getRhs());
  return left && right && left->low.number == right->high.number &&
         left->low.constant >= right->high.constant;
}

/// The range of a value where a comparison with it holds, or does not.
LaunchRanges::MaybeRange LaunchRanges::ofCompared(Value value, Value condition, bool holds) {
  MaybeRange range = of(value);
  auto compare = canonicals.of(condition).getDefiningOp<arith::CmpIOp>();
  if (!range || !compare || canonicals.of(compare.getLhs()) != canonicals.of(value))
    return range;
  MaybeRange other = of(compare.getRhs());
  const auto predicate =
      holds ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
  if (other && predicate == arith::CmpIPredicate::slt)
    range->high = numbers.least(range->high, numbers.add(other->high, {{}, -1}));
  else if (other && predicate == arith::CmpIPredicate::sge)
    range->low = numbers.greatest(range->low, other->low);
  else if (other && predicate == arith::CmpIPredicate::ne && other->low == other->high &&
           range->high == other->high)
    range->high.constant -= 1;
  return range;
}

LaunchRanges::MaybeRange LaunchRanges::ofChoice(Value condition, Value chosen, Value other) {
  if (isNever(condition))
    return of(other);
  return either(ofCompared(chosen, condition, true), ofCompared(other, condition, false));
}

LaunchRanges::MaybeRange LaunchRanges::ofInduction(scf::ForOp loop) {
  MaybeRange first = of(loop.getLowerBound()), end = of(loop.getUpperBound()),
             step = of(loop.getStep());
  if (!first || !end)
    return {};
  Sum last = numbers.add(end->high, {{}, -1});
  if (first->isOne() && step && step->isOne()) {
    // The last iteration need not be the last number before the end.
    Sum rounds = numbers.divide(numbers.subtract(last, first->low), step->low);
    last = numbers.add(first->low, numbers.multiply(rounds, step->low));
  }
  return Range{first->low, last};
}

static Value withoutCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtSIOp, arith::IndexCastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// A number that `added + induction` is below, if the loop ends at `end - added` or before:
/// `for i in range(min(tile, n - first))` and `first + i`.
std::optional<LaunchRanges::Sum> LaunchRanges::endOfSum(Value induction, Value added) {
  auto argument = dyn_cast<BlockArgument>(withoutCasts(induction));
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument.getArgNumber() != 0 || loop.getUnsignedCmp())
    return {};
  added = canonicals.of(withoutCasts(added));
  SmallVector<Value> ends{loop.getUpperBound()};
  while (!ends.empty()) {
    Value end = withoutCasts(ends.pop_back_val());
    if (auto least = end.getDefiningOp<arith::MinSIOp>())
      ends.append({least.getRhs(), least.getLhs()});
    auto difference = end.getDefiningOp<arith::SubIOp>();
    if (!difference || canonicals.of(withoutCasts(difference.getRhs())) != added || !of(end))
      continue;
    if (MaybeRange minuend = of(difference.getLhs()))
      return minuend->high;
  }
  return {};
}

LaunchRanges::MaybeRange LaunchRanges::either(MaybeRange left, MaybeRange right) {
  if (!left || !right)
    return {};
  return Range{numbers.least(left->low, right->low), numbers.greatest(left->high, right->high)};
}

/// The range of an operation's result, if it does not overflow.
LaunchRanges::MaybeRange LaunchRanges::fitting(MaybeRange range, Operation *op) {
  Type type = op->getResult(0).getType();
  if (!range || type.isIndex() || type.getIntOrFloatBitWidth() >= 64)
    return range;
  const int64_t most = llvm::maxIntN(type.getIntOrFloatBitWidth());
  if (!require({{}, -most - 1}, range->low) || !require(range->high, {{}, most}))
    return {};
  return range;
}

LaunchRanges::MaybeRange LaunchRanges::product(Range left, Range right) {
  auto isSmall = [](Range range) {
    return range.isOne() && !range.low.number && std::abs(range.low.constant) <= kSmall;
  };
  const int64_t most = isSmall(left) || isSmall(right) ? kMostNumber : kMostFactor;
  for (Range factor : {left, right})
    if (!require({{}, -most}, factor.low) || !require(factor.high, {{}, most}))
      return {};
  Sum low, high;
  auto isConstant = [](Range range) { return range.isOne() && !range.low.number; };
  if (isConstant(left) && !isConstant(right))
    std::swap(left, right);
  if (isConstant(right)) {
    low = numbers.multiply(left.low, right.low);
    high = left.isOne() ? low : numbers.multiply(left.high, right.low);
    if (right.low.constant < 0)
      std::swap(low, high);
  } else if (left.isOne() && right.isOne()) {
    low = high = numbers.multiply(left.low, right.low);
  } else {
    Sum corners[] = {numbers.multiply(left.low, right.low), numbers.multiply(left.low, right.high),
                     numbers.multiply(left.high, right.low),
                     numbers.multiply(left.high, right.high)};
    low = high = corners[0];
    for (Sum corner : corners) {
      low = numbers.least(low, corner);
      high = numbers.greatest(high, corner);
    }
  }
  if (!require({{}, -kMostNumber}, low) || !require(high, {{}, kMostNumber}))
    return {};
  return Range{low, high};
}

LaunchRanges::MaybeRange LaunchRanges::ofQuotient(Range left, Range right, bool floors) {
  if (!require({{}, 1}, right.low))
    return {};
  Range range{
      numbers.least(numbers.divide(left.low, right.low), numbers.divide(left.low, right.high)),
      numbers.greatest(numbers.divide(left.high, right.low),
                       numbers.divide(left.high, right.high))};
  if (floors && !(left.low == Sum{} || (!left.low.number && left.low.constant > 0)))
    range.low.constant -= 1;
  return range;
}

LaunchRanges::MaybeRange LaunchRanges::ofRemainder(Range left, Range right) {
  if (!require({{}, 1}, right.low))
    return {};
  Sum most = numbers.add(right.high, {{}, -1});
  if (!left.low.number && left.low.constant >= 0)
    return Range{{}, numbers.least(left.high, most)};
  return Range{numbers.subtract({}, most), most};
}

LaunchRanges::MaybeRange LaunchRanges::ofBits(Operation *op, Range left, Range right) {
  if (isa<arith::AndIOp>(op)) {
    // The result is below each operand that is not negative.
    auto isPositive = [](Range range) { return !range.low.number && range.low.constant >= 0; };
    if (isPositive(left) && isPositive(right))
      return Range{{}, numbers.least(left.high, right.high)};
    if (isPositive(left) || isPositive(right))
      return Range{{}, isPositive(left) ? left.high : right.high};
    return {};
  }
  if (!requireNotNegative(left) || !requireNotNegative(right))
    return {};
  return Range{{}, numbers.fill(numbers.greatest(left.high, right.high))};
}

LaunchRanges::MaybeRange LaunchRanges::ofArithmetic(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return {};
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return ofChoice(select.getCondition(), select.getTrueValue(), select.getFalseValue());
  if (isa<arith::ExtUIOp>(op) && op->getOperand(0).getType().isInteger(1))
    return Range{{}, {{}, 1}};
  if (op->getOperand(0).getType().isInteger(1))
    return {};
  MaybeRange left = of(op->getOperand(0));
  if (!left)
    return {};
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return fitting(left, op);
  if (isa<arith::TruncIOp>(op))
    return fitting(left, op);
  if (isa<arith::ExtUIOp>(op))
    return requireNotNegative(*left) ? left : MaybeRange();
  MaybeRange right = op->getNumOperands() == 2 ? of(op->getOperand(1)) : MaybeRange();
  if (!right)
    return {};
  if (isa<arith::AddIOp>(op)) {
    Range sum{numbers.add(left->low, right->low), numbers.add(left->high, right->high)};
    for (auto [induction, added] : {std::pair(0, 1), std::pair(1, 0)})
      if (auto end = endOfSum(op->getOperand(induction), op->getOperand(added)))
        sum.high = numbers.least(sum.high, numbers.add(*end, {{}, -1}));
    return fitting(sum, op);
  }
  if (isa<arith::SubIOp>(op))
    return fitting(
        Range{numbers.subtract(left->low, right->high), numbers.subtract(left->high, right->low)},
        op);
  if (isa<arith::MulIOp>(op))
    return fitting(product(*left, *right), op);
  if (isa<arith::MinSIOp>(op))
    return Range{numbers.least(left->low, right->low), numbers.least(left->high, right->high)};
  if (isa<arith::MaxSIOp>(op))
    return Range{numbers.greatest(left->low, right->low),
                 numbers.greatest(left->high, right->high)};
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op) && !requireNotNegative(*left))
    return {};
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op))
    return ofQuotient(*left, *right, isa<arith::FloorDivSIOp>(op));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return ofRemainder(*left, *right);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return ofBits(op, *left, *right);
  constexpr int64_t kMostShift = 31;
  auto shift = lower::constantOf(op->getOperand(1));
  if (!shift || *shift < 0 || *shift > kMostShift)
    return {};
  Range factor{{{}, int64_t{1} << *shift}, {{}, int64_t{1} << *shift}};
  if (isa<arith::ShLIOp>(op))
    return fitting(product(*left, factor), op);
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return ofQuotient(*left, factor, isa<arith::ShRSIOp>(op));
  return {};
}

} // namespace fairlead::check
