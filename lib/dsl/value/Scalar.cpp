#include "fairlead/dsl/Scalar.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/trace/Builder.h"
#include "dsl/value/NarrowFloat.h"

namespace fairlead::dsl {
namespace {

/// Returns the number's magnitude; half of it if it does not fit an int64_t.
int64_t divisorOf(int64_t number) {
  if (number == std::numeric_limits<int64_t>::min())
    return int64_t(1) << 62;
  return number < 0 ? -number : number;
}

} // namespace

Scalar Scalar::value(DType dtype, const void *handle, int64_t divisibility) {
  Scalar scalar;
  scalar.kind_ = Kind::Value;
  scalar.dtype_ = dtype;
  scalar.int_ = divisibility;
  scalar.handle_ = handle;
  return scalar;
}

Scalar Scalar::assumed(int64_t divisor) const {
  if (isLiteral())
    return *this;
  Scalar scalar = *this;
  scalar.int_ = divisor;
  scalar.assumed_ = true;
  return scalar;
}

DType Scalar::dtype() const {
  switch (kind_) {
  case Kind::Bool:
    return DType::Boolean;
  case Kind::Int:
    return int_ < INT32_MIN || int_ > INT32_MAX ? DType::Int64 : DType::Int32;
  case Kind::Float:
    return DType::Float32;
  default:
    return dtype_;
  }
}

std::optional<int64_t> Scalar::staticInt() const {
  if (kind_ == Kind::Bool || kind_ == Kind::Int)
    return int_;
  if (kind_ != Kind::Value || isFloat(dtype_))
    return std::nullopt;
  // A value of a deleted program has unknown contents.
  Program *program = Program::current();
  if (!program || !program->impl().handles.contains(handle_))
    return std::nullopt;
  mlir::IntegerAttr attribute;
  if (!mlir::matchPattern(fromHandle(handle_), mlir::m_Constant(&attribute)))
    return std::nullopt;
  const llvm::APInt &number = attribute.getValue();
  if (number.getSignificantBits() > 64)
    return std::nullopt;
  return isSigned(dtype_) ? number.getSExtValue() : static_cast<int64_t>(number.getZExtValue());
}

int64_t Scalar::divisibility() const {
  if (kind_ == Kind::Float)
    return 1;
  return divisorOf(int_);
}

/// Returns the type of an operation on two typed values.
static DType promoteTypes(DType a, DType b) {
  if (a == b)
    return a;
  if (isFloat(a) != isFloat(b))
    return isFloat(a) ? a : b;
  if (isFloat(a)) {
    // The two 16-bit floats hold different numbers; only Float32 holds both.
    if (bitWidth(a) == bitWidth(b))
      return DType::Float32;
    return bitWidth(a) > bitWidth(b) ? a : b;
  }
  if (bitWidth(a) != bitWidth(b))
    return bitWidth(a) > bitWidth(b) ? a : b;
  return isSigned(a) ? b : a; // same width: unsigned wins, as in C
}

DType promote(const Scalar &a, const Scalar &b) {
  if (a.isLiteral() == b.isLiteral())
    return promoteTypes(a.dtype(), b.dtype());
  const Scalar &literal = a.isLiteral() ? a : b;
  DType typed = a.isLiteral() ? b.dtype() : a.dtype();
  if (literal.isFloatLiteral() && !isFloat(typed))
    return DType::Float32;
  if (typed == DType::Boolean && !literal.isBoolLiteral())
    return literal.dtype();
  return typed;
}

/// Returns the type of an operation of published programs on two typed values.
static DType publishedType(DType a, DType b) {
  if (isFloat(a) && isFloat(b))
    return a != b && bitWidth(a) == 16 && bitWidth(b) == 16 ? DType::Float16 : promoteTypes(a, b);
  if (!isFloat(a) && !isFloat(b))
    return promoteTypes(a, b);
  const DType number = isFloat(a) ? a : b, integer = isFloat(a) ? b : a;
  if (integer == DType::Boolean || bitWidth(integer) < bitWidth(number))
    return number;
  switch (bitWidth(integer)) {
  case 16:
    return DType::Float16;
  case 32:
    return DType::Float32;
  case 64:
    return DType::Float64;
  default:
    return number;
  }
}

std::pair<Scalar, Scalar> publishedOperands(const Scalar &a, const Scalar &b) {
  const DType type = publishedType(a.dtype(), b.dtype());
  // A literal adopts the type of the other operand; a negative one wraps in an unsigned type.
  auto converted = [type](const Scalar &operand) {
    bool wraps = operand.isLiteral() && !operand.isFloatLiteral() && operand.literalInt() < 0 &&
                 isInteger(type) && !isSigned(type);
    if (wraps)
      return constant(type, operand.literalInt());
    return operand.isLiteral() || operand.dtype() == type ? operand : publishedCast(operand, type);
  };
  return {converted(a), converted(b)};
}

Scalar constant(DType type, double number) {
  return wrap(type, emitConstant(currentImpl("a constant"), type, number));
}

Scalar constant(DType type, int64_t number) {
  // In an unsigned type a negative number wraps, which keeps only powers of two as divisors.
  const bool wraps = number < 0 && !isSigned(type);
  return wrap(type, emitIntConstant(currentImpl("a constant"), type, number),
              wraps ? number & -number : divisorOf(number));
}

Scalar bitcast(const Scalar &a, DType type) {
  Program::Impl &impl = currentImpl("a conversion of a value's bits");
  mlir::Value value = emit(impl, a);
  mlir::Type to = valueType(impl.context.get(), type);
  if (a.dtype() == DType::Boolean || type == DType::Boolean ||
      value.getType().getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    throw makeError(Diagnostic::OperatorOperands, {{"operator", "bitcast"},
                                                   {"left", std::string(className(a.dtype()))},
                                                   {"right", std::string(className(type))}});
  if (value.getType() == to)
    return wrap(type, value);
  return wrap(type, impl.builder.createOrFold<mlir::arith::BitcastOp>(impl.builder.getUnknownLoc(),
                                                                      to, value));
}

static const llvm::fltSemantics &semantics(DType type) {
  using llvm::APFloat;
  static constexpr std::pair<DType, const llvm::fltSemantics &(*)()> kSemantics[] = {
      {DType::Float16, APFloat::IEEEhalf},
      {DType::BFloat16, APFloat::BFloat},
      {DType::Float32, APFloat::IEEEsingle},
      {DType::TFloat32, APFloat::FloatTF32},
      {DType::Float8E5M2, APFloat::Float8E5M2},
      {DType::Float8E4M3, APFloat::Float8E4M3},
      {DType::Float8E4M3FN, APFloat::Float8E4M3FN},
      {DType::Float8E4M3B11FNUZ, APFloat::Float8E4M3B11FNUZ},
      {DType::Float8E8M0FNU, APFloat::Float8E8M0FNU},
      {DType::Float6E3M2FN, APFloat::Float6E3M2FN},
      {DType::Float6E2M3FN, APFloat::Float6E2M3FN},
      {DType::Float4E2M1FN, APFloat::Float4E2M1FN}};
  for (auto [dtype, semantics] : kSemantics)
    if (dtype == type)
      return semantics();
  return APFloat::IEEEdouble();
}

double rounded(DType type, double number) {
  using llvm::APFloat;
  const llvm::fltSemantics &target = semantics(type);
  if (!isFloat(type) || std::isnan(number))
    return number;
  if (isNarrowFloat(type) && type != DType::TFloat32) {
    double largest = APFloat::getLargest(target).convertToDouble();
    if (type == DType::Float8E8M0FNU) {
      if (number < 0)
        return std::numeric_limits<double>::quiet_NaN();
      number = std::max(number, std::ldexp(1.0, -127));
    }
    number = std::clamp(number, -largest, largest);
  }
  APFloat value(number);
  bool losesInfo = false;
  value.convert(target, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

Scalar materialize(const Scalar &a) {
  if (a.isValue())
    return a;
  return wrap(a.dtype(), emit(currentImpl("a value"), a), a.divisibility());
}

Scalar operator/(const Scalar &a, const Operand &other) {
  AtSourceLoc at(other.at());
  const Scalar &b = other;
  bool floats = isFloat(promote(a, b));
  return binary(floats ? BinaryOp::TrueDiv : BinaryOp::TruncDiv, a, b);
}

Scalar ceilDiv(const Scalar &a, const Scalar &b) {
  auto x = a.staticInt(), y = b.staticInt();
  if (x && y && *y > 0 && a.isLiteral() && b.isLiteral())
    return Scalar(*x >= 0 ? (*x + *y - 1) / *y : -(-*x / *y));
  // A dividend that is a multiple of the divisor needs no rounding.
  if (y && *y > 0 && !isFloat(a.dtype()) && a.divisibility() % *y == 0)
    return binary(BinaryOp::FloorDiv, a, b);
  return binary(BinaryOp::FloorDiv, binary(BinaryOp::Add, a, binary(BinaryOp::Sub, b, 1)), b);
}

} // namespace fairlead::dsl
