/// Binary operations and comparisons on scalars.
#include <numeric>

#include "mlir/IR/Matchers.h"

#include "dsl/trace/Builder.h"
#include "dsl/value/LiteralRange.h"
#include "dsl/value/NarrowFloat.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

constexpr const char *kBinarySpelling[] = {"+",  "-", "*", "/", "//", "/",  "%",   "%",
                                           "**", "&", "|", "^", "<<", ">>", "min", "max"};

std::string typeText(const Scalar &a) {
  if (a.isLiteral())
    return a.isFloatLiteral() ? "float" : a.isBoolLiteral() ? "bool" : "int";
  return std::string(className(a.dtype()));
}

[[noreturn]] void rejectOperands(BinaryOp op, const Scalar &a, const Scalar &b) {
  throw makeError(Diagnostic::OperatorOperands,
                  {{"operator", kBinarySpelling[static_cast<int>(op)]},
                   {"left", typeText(a)},
                   {"right", typeText(b)}});
}

bool isBitwise(BinaryOp op) { return op >= BinaryOp::And && op <= BinaryOp::Shr; }

/// Emits operations of one type at the program's insertion point; constants fold.
struct Emitter {
  OpBuilder &b;
  Location loc;
  template <typename Op, typename... Args> mlir::Value operator()(Args &&...args) const {
    return b.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }
};

/// Computes floor division and modulo of signed integers from the truncating ones. They differ by
/// one step if the remainder is not zero and its sign differs from the divisor's.
mlir::Value floorCorrection(const Emitter &e, mlir::Value remainder, mlir::Value divisor) {
  mlir::Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(remainder.getType()));
  mlir::Value nonZero = e.operator()<arith::CmpIOp>(arith::CmpIPredicate::ne, remainder, zero);
  mlir::Value mixed = e.operator()<arith::XOrIOp>(remainder, divisor);
  mlir::Value signsDiffer = e.operator()<arith::CmpIOp>(arith::CmpIPredicate::slt, mixed, zero);
  return e.operator()<arith::AndIOp>(nonZero, signsDiffer);
}

mlir::Value floatConstant(const Emitter &e, mlir::Type type, double number) {
  return arith::ConstantOp::create(e.b, e.loc, e.b.getFloatAttr(type, number));
}

/// The remainder of a division that rounds toward zero. `fix` is true if rounding down would give
/// another one: if it is not zero and its sign differs from the divisor's.
struct Remainder {
  mlir::Value value, isZero, fix;

  Remainder(const Emitter &e, mlir::Value x, mlir::Value y) {
    value = e.operator()<arith::RemFOp>(x, y);
    mlir::Value zero = floatConstant(e, x.getType(), 0.0);
    auto compared = [&](arith::CmpFPredicate how, mlir::Value number) {
      return e.operator()<arith::CmpFOp>(how, number, zero);
    };
    isZero = compared(arith::CmpFPredicate::OEQ, value);
    mlir::Value differ = e.operator()<arith::XOrIOp>(compared(arith::CmpFPredicate::OLT, value),
                                                     compared(arith::CmpFPredicate::OLT, y));
    fix = e.operator()<arith::AndIOp>(compared(arith::CmpFPredicate::UNE, value), differ);
  }
};

/// Emits Python's `%`: the result, even a zero, has the divisor's sign.
mlir::Value floatModulo(const Emitter &e, mlir::Value x, mlir::Value y) {
  Remainder remainder(e, x, y);
  mlir::Value zero = floatConstant(e, x.getType(), 0.0);
  mlir::Value negative = e.operator()<arith::CmpFOp>(arith::CmpFPredicate::OLT, y, zero);
  mlir::Value signedZero =
      e.operator()<arith::SelectOp>(negative, floatConstant(e, x.getType(), -0.0), zero);
  mlir::Value moved = e.operator()<arith::AddFOp>(remainder.value, y);
  mlir::Value rest = e.operator()<arith::SelectOp>(remainder.fix, moved, remainder.value);
  return e.operator()<arith::SelectOp>(remainder.isZero, signedZero, rest);
}

/// Emits Python's `//`, always in Float64: a quotient rounded to a narrower type may reach the
/// next integer. A division by zero gives the plain quotient: an infinity or NaN.
mlir::Value floatQuotient(const Emitter &e, mlir::Value x, mlir::Value y) {
  mlir::Type f64 = e.b.getF64Type();
  auto widened = [&](mlir::Value number) {
    return number.getType() == f64 ? number : e.operator()<arith::ExtFOp>(f64, number);
  };
  Remainder remainder(e, x, y);
  x = widened(x);
  y = widened(y);
  mlir::Value zero = floatConstant(e, f64, 0.0), one = floatConstant(e, f64, 1.0);
  mlir::Value plain = e.operator()<arith::DivFOp>(x, y);
  // An integer, except for the division's rounding error.
  mlir::Value near =
      e.operator()<arith::DivFOp>(e.operator()<arith::SubFOp>(x, widened(remainder.value)), y);
  near = e.operator()<arith::SelectOp>(remainder.fix, e.operator()<arith::SubFOp>(near, one), near);
  mlir::Value quotient = e.operator()<math::FloorOp>(near);
  mlir::Value up = e.operator()<arith::CmpFOp>(arith::CmpFPredicate::OGT,
                                               e.operator()<arith::SubFOp>(near, quotient),
                                               floatConstant(e, f64, 0.5));
  quotient =
      e.operator()<arith::SelectOp>(up, e.operator()<arith::AddFOp>(quotient, one), quotient);
  // A zero with the quotient's sign.
  mlir::Value isZero = e.operator()<arith::CmpFOp>(arith::CmpFPredicate::OEQ, near, zero);
  mlir::Value signedZero = e.operator()<arith::MulFOp>(plain, zero);
  quotient = e.operator()<arith::SelectOp>(isZero, signedZero, quotient);
  mlir::Value byZero = e.operator()<arith::CmpFOp>(arith::CmpFPredicate::OEQ, y, zero);
  return e.operator()<arith::SelectOp>(byZero, plain, quotient);
}

mlir::Value emitFloat(const Emitter &e, BinaryOp op, mlir::Value x, mlir::Value y) {
  switch (op) {
  case BinaryOp::Add:
    return e.operator()<arith::AddFOp>(x, y);
  case BinaryOp::Sub:
    return e.operator()<arith::SubFOp>(x, y);
  case BinaryOp::Mul:
    return e.operator()<arith::MulFOp>(x, y);
  case BinaryOp::TrueDiv:
  case BinaryOp::TruncDiv:
    return e.operator()<arith::DivFOp>(x, y);
  case BinaryOp::FloorDiv:
    return floatQuotient(e, x, y);
  case BinaryOp::Rem:
    return e.operator()<arith::RemFOp>(x, y);
  case BinaryOp::Mod:
    return floatModulo(e, x, y);
  case BinaryOp::Pow:
    return e.operator()<math::PowFOp>(x, y);
  case BinaryOp::Min:
    return e.operator()<arith::MinimumFOp>(x, y);
  case BinaryOp::Max:
    return e.operator()<arith::MaximumFOp>(x, y);
  default:
    return {};
  }
}

/// log2 of a constant that is a power of two.
std::optional<unsigned> powerOfTwo(mlir::Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || !number.isPowerOf2() || number.isNegative())
    return std::nullopt;
  return number.logBase2();
}

mlir::Value likeInteger(const Emitter &e, mlir::Value x, int64_t number) {
  return arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(x.getType(), number));
}

/// Returns the divisor, or 1 if the quotient does not exist (divisor 0) or does not fit (the least
/// number by -1): processors stop the process then.
mlir::Value safeDivisor(const Emitter &e, mlir::Value x, mlir::Value y, bool isSigned) {
  APInt number;
  if (matchPattern(y, m_ConstantInt(&number)) && !number.isAllOnes() && !number.isZero())
    return y;
  auto equals = [&](mlir::Value value, const APInt &number) {
    mlir::Value other =
        arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(x.getType(), number));
    return e.operator()<arith::CmpIOp>(arith::CmpIPredicate::eq, value, other);
  };
  unsigned width = x.getType().getIntOrFloatBitWidth();
  mlir::Value unsafe = equals(y, APInt::getZero(width));
  if (isSigned) {
    mlir::Value least = equals(x, APInt::getSignedMinValue(width));
    mlir::Value wraps = e.operator()<arith::AndIOp>(least, equals(y, APInt::getAllOnes(width)));
    unsafe = e.operator()<arith::OrIOp>(unsafe, wraps);
  }
  return e.operator()<arith::SelectOp>(unsafe, likeInteger(e, y, 1), y);
}

/// Emits Python's shifts, truncated to the type: a shift by its width or more leaves only the sign.
/// The count is unsigned, so that a negative one is large.
mlir::Value emitShift(const Emitter &e, BinaryOp op, mlir::Value x, mlir::Value y, bool isSigned) {
  const int64_t width = x.getType().getIntOrFloatBitWidth();
  if (op == BinaryOp::Shr && isSigned)
    return e.operator()<arith::ShRSIOp>(
        x, e.operator()<arith::MinUIOp>(y, likeInteger(e, x, width - 1)));
  mlir::Value inside =
      e.operator()<arith::CmpIOp>(arith::CmpIPredicate::ult, y, likeInteger(e, x, width));
  // Mask the count: otherwise LLVM's PTX back end matches this select as the instruction's own
  // clamping, and then drops the upper half of a 64-bit count.
  mlir::Value count = e.operator()<arith::AndIOp>(y, likeInteger(e, x, width - 1));
  mlir::Value shifted = op == BinaryOp::Shl ? e.operator()<arith::ShLIOp>(x, count)
                                            : e.operator()<arith::ShRUIOp>(x, count);
  return e.operator()<arith::SelectOp>(inside, shifted, likeInteger(e, x, 0));
}

mlir::Value emitInteger(const Emitter &e, BinaryOp op, mlir::Value x, mlir::Value y,
                        bool isSigned) {
  switch (op) {
  case BinaryOp::Add:
    return e.operator()<arith::AddIOp>(x, y);
  case BinaryOp::Sub:
    return e.operator()<arith::SubIOp>(x, y);
  case BinaryOp::Mul:
    return e.operator()<arith::MulIOp>(x, y);
  case BinaryOp::TruncDiv:
    return isSigned ? e.operator()<arith::DivSIOp>(x, y) : e.operator()<arith::DivUIOp>(x, y);
  case BinaryOp::Rem:
    return isSigned ? e.operator()<arith::RemSIOp>(x, y) : e.operator()<arith::RemUIOp>(x, y);
  case BinaryOp::FloorDiv: {
    y = safeDivisor(e, x, y, isSigned);
    if (!isSigned)
      return e.operator()<arith::DivUIOp>(x, y);
    if (auto bits = powerOfTwo(y))
      return e.operator()<arith::ShRSIOp>(x, likeInteger(e, x, *bits));
    mlir::Value quotient = e.operator()<arith::DivSIOp>(x, y);
    mlir::Value fix = floorCorrection(e, e.operator()<arith::RemSIOp>(x, y), y);
    // Subtract 1 from the quotient if it needs the correction.
    mlir::Value one = arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(x.getType(), 1));
    return e.operator()<arith::SelectOp>(fix, e.operator()<arith::SubIOp>(quotient, one), quotient);
  }
  case BinaryOp::Mod: {
    y = safeDivisor(e, x, y, isSigned);
    if (!isSigned)
      return e.operator()<arith::RemUIOp>(x, y);
    if (auto bits = powerOfTwo(y))
      return e.operator()<arith::AndIOp>(x, likeInteger(e, x, (int64_t(1) << *bits) - 1));
    mlir::Value remainder = e.operator()<arith::RemSIOp>(x, y);
    mlir::Value fix = floorCorrection(e, remainder, y);
    return e.operator()<arith::SelectOp>(fix, e.operator()<arith::AddIOp>(remainder, y), remainder);
  }
  case BinaryOp::And:
    return e.operator()<arith::AndIOp>(x, y);
  case BinaryOp::Or:
    return e.operator()<arith::OrIOp>(x, y);
  case BinaryOp::Xor:
    return e.operator()<arith::XOrIOp>(x, y);
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    return emitShift(e, op, x, y, isSigned);
  case BinaryOp::Min:
    return isSigned ? e.operator()<arith::MinSIOp>(x, y) : e.operator()<arith::MinUIOp>(x, y);
  case BinaryOp::Max:
    return isSigned ? e.operator()<arith::MaxSIOp>(x, y) : e.operator()<arith::MaxUIOp>(x, y);
  default:
    return {};
  }
}

/// x ** n for a static n >= 0, by squaring.
mlir::Value emitStaticPower(const Emitter &e, mlir::Value x, int64_t exponent, bool isFloat) {
  mlir::Value result;
  auto multiply = [&](mlir::Value p, mlir::Value q) -> mlir::Value {
    return isFloat ? e.operator()<arith::MulFOp>(p, q) : e.operator()<arith::MulIOp>(p, q);
  };
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = result ? multiply(result, x) : x;
    if (exponent > 1)
      x = multiply(x, x);
  }
  return result
             ? result
             : arith::ConstantOp::create(e.b, e.loc,
                                         isFloat ? TypedAttr(e.b.getFloatAttr(x.getType(), 1.0))
                                                 : TypedAttr(e.b.getIntegerAttr(x.getType(), 1)));
}

/// Returns the largest power of two that divides `divisibility`; 0 for 0.
int64_t lowestBit(int64_t divisibility) { return divisibility & -divisibility; }

/// Returns a number that divides the result.
int64_t resultDivisibility(BinaryOp op, const Scalar &a, const Scalar &b) {
  const int64_t x = a.divisibility(), y = b.divisibility();
  switch (op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::Min:
  case BinaryOp::Max:
  case BinaryOp::Mod:
  case BinaryOp::Rem:
    return std::max<int64_t>(1, std::gcd(x, y));
  case BinaryOp::Mul: {
    int64_t product = 1;
    if (__builtin_mul_overflow(x, y, &product) || product <= 0)
      return 1;
    return product;
  }
  case BinaryOp::FloorDiv:
  case BinaryOp::TruncDiv: {
    std::optional<int64_t> by = x > 1 ? b.staticInt() : std::nullopt;
    return by && *by > 0 && x % *by == 0 ? x / *by : 1;
  }
  case BinaryOp::Shl:
  case BinaryOp::Shr: {
    std::optional<int64_t> by = b.staticInt();
    if (!by || *by < 0 || *by > 30 || x <= 0 || x >= int64_t(1) << 31)
      return 1;
    if (op == BinaryOp::Shl)
      return x << *by;
    return x % (int64_t(1) << *by) == 0 ? x >> *by : 1;
  }
  case BinaryOp::And:
    return std::max<int64_t>({1, lowestBit(x), lowestBit(y)});
  case BinaryOp::Or:
  case BinaryOp::Xor:
    return std::max<int64_t>(1, lowestBit(x | y));
  default:
    return 1;
  }
}

} // namespace

/// Checks a literal operand of an operation that compares numbers (see isOrdered).
static void checkOrdered(const Scalar &a, DType type) {
  if (a.isLiteral() && !a.isFloatLiteral())
    checkLiteral(a.literalInt(), type, /*ordered=*/true);
}

/// True if the operation depends on the order of its operands as numbers, not only on their bits.
static bool isOrdered(BinaryOp op) {
  return op == BinaryOp::FloorDiv || op == BinaryOp::TruncDiv || op == BinaryOp::Mod ||
         op == BinaryOp::Rem || op == BinaryOp::Min || op == BinaryOp::Max;
}

/// Emits an operand of the promoted type `type` in the type that the arithmetic uses.
static mlir::Value emitOperand(Program::Impl &impl, const Scalar &a, DType type) {
  mlir::Value value = emitAs(impl, a, type);
  return isNarrowFloat(type) ? emitFromNarrow(impl, value, type) : value;
}

/// Returns a result of arithmetic, rounded to the operands' type if it was computed in a wider one.
static Scalar finished(Program::Impl &impl, DType type, mlir::Value value, int64_t divisibility) {
  if (isNarrowFloat(type))
    return wrap(type, emitToNarrow(impl, value, type));
  if (isFloat(type) && value.getType() != valueType(impl.context.get(), type))
    return dsl::cast(wrap(DType::Float64, value), type);
  return wrap(type, value, divisibility);
}

Scalar binary(BinaryOp op, const Scalar &a, const Scalar &b) {
  Program::Impl &impl = currentImpl("arithmetic on a traced value");
  DType type = promote(a, b);
  if (isBitwise(op) && isFloat(type))
    rejectOperands(op, a, b);
  if (op == BinaryOp::TrueDiv && !isFloat(type))
    type = DType::Float32;
  bool logical = op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor ||
                 op == BinaryOp::Min || op == BinaryOp::Max;
  if (type == DType::Boolean && !logical)
    type = DType::Int32;
  Emitter e{impl.builder, impl.builder.getUnknownLoc()};
  constexpr int64_t kMaxStaticPower = 64;
  if (op == BinaryOp::Pow) {
    std::optional<int64_t> exponent = b.staticInt();
    if (exponent && *exponent >= 0 && *exponent <= kMaxStaticPower)
      return finished(impl, type,
                      emitStaticPower(e, emitOperand(impl, a, type), *exponent, isFloat(type)), 1);
  }
  if (isOrdered(op)) {
    checkOrdered(a, type);
    checkOrdered(b, type);
  }
  mlir::Value x = emitOperand(impl, a, type), y = emitOperand(impl, b, type);
  // Truncating divisions are exempt: they compute indices, and an extent of 0 has no element.
  bool written = b.isLiteral() && (op == BinaryOp::FloorDiv || op == BinaryOp::Mod);
  if (isInteger(type) && written && matchPattern(y, m_Zero()))
    throw makeError(Diagnostic::DivisionByZero,
                    {{"operator", kBinarySpelling[static_cast<int>(op)]}, {"left", typeText(a)}});
  mlir::Value result =
      isFloat(type) ? emitFloat(e, op, x, y) : emitInteger(e, op, x, y, isSigned(type));
  if (!result)
    rejectOperands(op, a, b);
  return finished(impl, type, result, isInteger(type) ? resultDivisibility(op, a, b) : 1);
}

/// Returns the divisor of a remainder, or 1 if it is 0 or -1, for which processors may stop the
/// process: the remainder is 0 then.
static Scalar remainderDivisor(const Scalar &divisor, DType type) {
  if (std::optional<int64_t> number = divisor.staticInt())
    return *number == -1 ? Scalar(1) : divisor;
  Scalar bad = compare(CompareOp::Eq, divisor, Scalar(0));
  if (isSigned(type))
    bad = binary(BinaryOp::Or, bad, compare(CompareOp::Eq, divisor, Scalar(-1)));
  return select(bad, cast(Scalar(1), type), divisor);
}

/// Returns the logical operation that says whether a sum, a difference or a product of Booleans is
/// not 0; other operations as they are.
static BinaryOp booleanOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return BinaryOp::Or;
  case BinaryOp::Sub:
    return BinaryOp::Xor;
  case BinaryOp::Mul:
    return BinaryOp::And;
  default:
    return op;
  }
}

/// True for a number that is known while the program is traced.
static bool isConstant(const Scalar &number) {
  return number.isLiteral() || matchPattern(emit(currentImpl("a number"), number), m_Constant());
}

Scalar publishedBinary(BinaryOp op, const Scalar &a, const Scalar &b) {
  const DType type = promote(a, b);
  const bool ofBooleans = a.isValue() && b.isValue() && type == DType::Boolean;
  if (ofBooleans)
    op = booleanOp(op);
  bool isShift = op == BinaryOp::Shl || op == BinaryOp::Shr;
  bool isDivision = op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (ofBooleans && (isShift || isDivision))
    return cast(binary(op, a, b), DType::Boolean);
  bool isKnown = isFloat(type) ? isConstant(a) && isConstant(b)
                               : b.staticInt() && (*b.staticInt() == 0 || a.staticInt());
  if (!isDivision || isKnown || type == DType::Boolean)
    return binary(op, a, b);
  if (op == BinaryOp::Mod)
    return binary(BinaryOp::Rem, a, isInteger(type) ? remainderDivisor(b, type) : b);
  return isFloat(type) ? unary(UnaryOp::Floor, binary(BinaryOp::TrueDiv, a, b)) : binary(op, a, b);
}

Scalar compare(CompareOp op, const Scalar &a, const Scalar &b) {
  Program::Impl &impl = currentImpl("a comparison of traced values");
  DType type = promote(a, b);
  if (op != CompareOp::Eq && op != CompareOp::Ne) {
    checkOrdered(a, type);
    checkOrdered(b, type);
  }
  Emitter e{impl.builder, impl.builder.getUnknownLoc()};
  mlir::Value x = emitOperand(impl, a, type), y = emitOperand(impl, b, type);
  int index = static_cast<int>(op);
  if (isFloat(type)) {
    // Ordered except for !=: a NaN is not equal to anything.
    constexpr arith::CmpFPredicate kFloat[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE, arith::CmpFPredicate::OLT,
        arith::CmpFPredicate::OLE, arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return wrap(DType::Boolean, e.operator()<arith::CmpFOp>(kFloat[index], x, y));
  }
  constexpr arith::CmpIPredicate kSigned[] = {arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
                                              arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
                                              arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  constexpr arith::CmpIPredicate kUnsigned[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,  arith::CmpIPredicate::ult,
      arith::CmpIPredicate::ule, arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  return wrap(DType::Boolean, e.operator()<arith::CmpIOp>(
                                  isSigned(type) ? kSigned[index] : kUnsigned[index], x, y));
}

Scalar select(const Scalar &condition, const Scalar &a, const Scalar &b) {
  Program::Impl &impl = currentImpl("a selection between traced values");
  DType type = promote(a, b);
  Emitter e{impl.builder, impl.builder.getUnknownLoc()};
  mlir::Value flag = emitAs(impl, condition, DType::Boolean);
  return wrap(type,
              e.operator()<arith::SelectOp>(flag, emitAs(impl, a, type), emitAs(impl, b, type)));
}

} // namespace fairlead::dsl
