#include "check/compile/LaneValues.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fairlead::check {

LaneValue LaneValue::each(llvm::function_ref<int64_t(unsigned)> ofLane) {
  LaneValue value;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    value.lanes.push_back(ofLane(lane));
  if (llvm::all_equal(value.lanes))
    value.lanes.resize(1);
  return value;
}

void LaneValue::assign(const LaneValue &other, LaneMask mask, LaneMask all) {
  if (mask == all || !other.isKnown() || !isKnown()) {
    *this = mask == all || !other.isKnown() ? other : *this;
    return;
  }
  LaneValue before = *this;
  *this = each([&](unsigned lane) { return mask >> lane & 1 ? other[lane] : before[lane]; });
  dependOn(before.test);
  dependOn(other.test);
}

namespace {

unsigned widthOf(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() : 64;
}

int64_t extended(int64_t number, unsigned width) {
  if (width == 1)
    return number & 1;
  if (width >= 64)
    return number;
  return static_cast<int64_t>(static_cast<uint64_t>(number) << (64 - width)) >> (64 - width);
}

uint64_t bitsOf(int64_t number, unsigned width) {
  return width >= 64 ? static_cast<uint64_t>(number)
                     : static_cast<uint64_t>(number) & ((uint64_t{1} << width) - 1);
}

/// Returns the number that an operation of two integers has, or nothing if it has none.
std::optional<int64_t> binary(Operation *op, int64_t a, int64_t b, unsigned width) {
  using Number = std::optional<int64_t>;
  const uint64_t ua = bitsOf(a, width), ub = bitsOf(b, width);
  const bool divides = b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
  auto shifted = [&](uint64_t number) { return ub < width ? Number(int64_t(number)) : Number(0); };
  const unsigned by = static_cast<unsigned>(ub % 64);
  auto wrapped = [](uint64_t number) { return Number(static_cast<int64_t>(number)); };
  const uint64_t wa = static_cast<uint64_t>(a), wb = static_cast<uint64_t>(b);
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::AddIOp) { return wrapped(wa + wb); })
      .Case([&](arith::SubIOp) { return wrapped(wa - wb); })
      .Case([&](arith::MulIOp) { return wrapped(wa * wb); })
      .Case([&](arith::DivSIOp) { return divides ? Number(a / b) : Number(); })
      .Case([&](arith::RemSIOp) { return divides ? Number(a % b) : Number(); })
      .Case([&](arith::DivUIOp) { return ub ? wrapped(ua / ub) : Number(); })
      .Case([&](arith::RemUIOp) { return ub ? wrapped(ua % ub) : Number(); })
      .Case([&](arith::AndIOp) { return Number(a & b); })
      .Case([&](arith::OrIOp) { return Number(a | b); })
      .Case([&](arith::XOrIOp) { return Number(a ^ b); })
      .Case([&](arith::ShLIOp) { return shifted(wa << by); })
      .Case([&](arith::ShRUIOp) { return shifted(ua >> by); })
      .Case([&](arith::ShRSIOp) { return shifted(static_cast<uint64_t>(a >> by)); })
      .Case([&](arith::MinSIOp) { return Number(std::min(a, b)); })
      .Case([&](arith::MaxSIOp) { return Number(std::max(a, b)); })
      .Case([&](arith::MinUIOp) { return wrapped(std::min(ua, ub)); })
      .Case([&](arith::MaxUIOp) { return wrapped(std::max(ua, ub)); })
      .Case([&](arith::CmpIOp compared) {
        return Number(arith::applyCmpPredicate(compared.getPredicate(), llvm::APInt(width, ua),
                                               llvm::APInt(width, ub)));
      })
      .Default([](Operation *) { return Number(); });
}

/// `false & x` and `true | x` need no x.
std::optional<int64_t> absorbing(Operation *op) {
  if (isa<arith::AndIOp>(op))
    return 0;
  if (isa<arith::OrIOp>(op) && op->getResult(0).getType().isInteger(1))
    return 1;
  return std::nullopt;
}

LaneValue evaluateBinary(Operation *op, ArrayRef<LaneValue> operands) {
  const unsigned width = widthOf(op->getOperand(0).getType());
  const unsigned resultWidth = widthOf(op->getResult(0).getType());
  const LaneValue &a = operands[0], &b = operands[1];
  if (!a.isKnown() || !b.isKnown()) {
    const LaneValue &other = a.isKnown() ? a : b;
    if (auto absorbed = absorbing(op); absorbed && other.isUniform() && other[0] == *absorbed)
      return other;
    return LaneValue::unknown(a.isKnown() ? b.origin : a.origin);
  }
  bool defined = true;
  auto ofLane = [&](unsigned lane) {
    std::optional<int64_t> number = binary(op, a[lane], b[lane], width);
    defined &= number.has_value();
    return extended(number.value_or(0), resultWidth);
  };
  LaneValue value =
      a.isUniform() && b.isUniform() ? LaneValue::uniform(ofLane(0)) : LaneValue::each(ofLane);
  return defined ? value : LaneValue::unknown(op);
}

LaneValue evaluateSelect(ArrayRef<LaneValue> operands) {
  const LaneValue &condition = operands[0], &then = operands[1], &otherwise = operands[2];
  if (!condition.isKnown())
    return LaneValue::unknown(condition.origin);
  if (condition.isUniform())
    return condition[0] ? then : otherwise;
  if (!then.isKnown() || !otherwise.isKnown())
    return LaneValue::unknown(then.isKnown() ? otherwise.origin : then.origin);
  return LaneValue::each(
      [&](unsigned lane) { return condition[lane] ? then[lane] : otherwise[lane]; });
}

LaneValue evaluateCast(Operation *op, const LaneValue &operand) {
  if (!operand.isKnown())
    return operand;
  const unsigned from = widthOf(op->getOperand(0).getType());
  const unsigned to = widthOf(op->getResult(0).getType());
  auto ofLane = [&](unsigned lane) {
    int64_t number = operand[lane];
    if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
      number = static_cast<int64_t>(bitsOf(number, from));
    else if (from == 1)
      number = -number;
    return extended(number, to);
  };
  return operand.isUniform() ? LaneValue::uniform(ofLane(0)) : LaneValue::each(ofLane);
}

} // namespace

LaneValue evaluate(Operation *op, ArrayRef<LaneValue> operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    if (!number)
      return LaneValue::unknown(op);
    return LaneValue::uniform(number.getType().isInteger(1) ? number.getValue().getZExtValue()
                                                            : number.getValue().getSExtValue());
  }
  const bool integers =
      op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex() &&
      llvm::all_of(op->getOperandTypes(), [](Type type) { return type.isIntOrIndex(); });
  if (isa<arith::SelectOp>(op))
    return evaluateSelect(operands);
  if (!integers)
    return LaneValue::unknown(op);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op))
    return evaluateCast(op, operands[0]);
  if (operands.size() == 2)
    return evaluateBinary(op, operands);
  return LaneValue::unknown(op);
}

} // namespace fairlead::check
