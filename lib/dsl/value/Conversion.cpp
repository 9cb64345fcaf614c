/// Conversions between numeric types.
#include "mlir/IR/Matchers.h"

#include "dsl/trace/Builder.h"
#include "dsl/value/NarrowFloat.h"
#include "fairlead/dsl/TracingDialect.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

mlir::Value toBoolean(OpBuilder &b, Location loc, mlir::Value value, DType from) {
  mlir::Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  if (isFloat(from))
    return b.createOrFold<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, value, zero);
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, zero);
}

mlir::Value integerToInteger(OpBuilder &b, Location loc, mlir::Value value, DType from,
                             mlir::Type type, DType to) {
  if (bitWidth(from) == bitWidth(to))
    return value;
  if (bitWidth(from) > bitWidth(to))
    return b.createOrFold<arith::TruncIOp>(loc, type, value);
  // Boolean is unsigned: true is 1.
  if (isSigned(from))
    return b.createOrFold<arith::ExtSIOp>(loc, type, value);
  return b.createOrFold<arith::ExtUIOp>(loc, type, value);
}

mlir::Value floatToFloat(OpBuilder &b, Location loc, mlir::Value value, DType from, mlir::Type type,
                         DType to) {
  if (bitWidth(from) < bitWidth(to))
    return b.createOrFold<arith::ExtFOp>(loc, type, value);
  if (bitWidth(from) > bitWidth(to))
    return b.createOrFold<arith::TruncFOp>(loc, type, value);
  // Convert float16 <-> bfloat16 via float32, which represents both exactly.
  mlir::Value single = b.createOrFold<arith::ExtFOp>(loc, b.getF32Type(), value);
  return b.createOrFold<arith::TruncFOp>(loc, type, single);
}

/// The magnitude of an integer, as an unsigned one, and its sign.
struct Magnitude {
  explicit Magnitude(const Scalar &a)
      : negative(isSigned(a.dtype()) ? a < 0 : Scalar(false)),
        size(cast(isSigned(a.dtype()) ? select(negative, -a, a) : a,
                  bitWidth(a.dtype()) == 128 ? DType::Uint128 : DType::Uint64)) {}

  /// `number` with the integer's sign.
  Scalar withSign(const Scalar &number) const { return select(negative, -number, number); }

  Scalar negative, size;
};

/// Rounded to odd in the 53 bits of a Float64: rounded again, they give what rounding once does.
Scalar roundedToOdd(const Scalar &size) {
  constexpr int64_t kLowest = 0x7FF;
  Scalar rest = size & kLowest;
  Scalar odd = (size - rest) | cast(rest != 0, DType::Uint64) * (kLowest + 1);
  return select(binary(BinaryOp::Shr, size, 53) != 0, odd, size);
}

/// 2^exponent as a Float64.
Scalar powerOfTwo(const Scalar &exponent) {
  return bitcast(binary(BinaryOp::Shl, exponent + 1023, 52), DType::Float64);
}

/// An Uint128 of 2^64 or more as `lead` * 2^exponent. The last bit of `lead` is set if any bit
/// after the first 64 is set.
struct Normalized {
  explicit Normalized(Scalar size) {
    exponent = constant(DType::Uint64, int64_t(64));
    for (int64_t step : {32, 16, 8, 4, 2, 1}) {
      Scalar small = binary(BinaryOp::Shr, size, 128 - step) == 0;
      size = select(small, binary(BinaryOp::Shl, size, step), size);
      exponent = exponent -
                 select(small, constant(DType::Uint64, step), constant(DType::Uint64, int64_t(0)));
    }
    Scalar low = cast(size, DType::Uint64);
    Scalar high = cast(binary(BinaryOp::Shr, size, 64), DType::Uint64);
    lead = high | cast(low != 0, DType::Uint64);
  }
  Scalar lead, exponent;
};

/// Converts an integer of 64 or 128 bits to a Float64: rounded to the nearest, or to odd.
Scalar wideToFloat64(const Scalar &a, bool toOdd) {
  Magnitude number(a);
  auto narrow = [&](const Scalar &size) {
    return cast(toOdd ? roundedToOdd(size) : size, DType::Float64);
  };
  if (bitWidth(a.dtype()) == 64)
    return number.withSign(narrow(number.size));
  Normalized parts(number.size);
  Scalar large = narrow(parts.lead) * powerOfTwo(parts.exponent);
  Scalar isLarge = binary(BinaryOp::Shr, number.size, 64) != 0;
  return number.withSign(select(isLarge, large, narrow(cast(number.size, DType::Uint64))));
}

/// Converts a Float64 to an integer of 128 bits: toward zero, saturating, 0 for NaN.
Scalar float64To128(const Scalar &number, DType to) {
  Scalar bits = bitcast(number, DType::Uint64);
  Scalar exponent = binary(BinaryOp::Shr, bits, 52) & 0x7FF;
  Scalar fraction = (bits & ((int64_t(1) << 52) - 1)) | (int64_t(1) << 52);
  // From 2^52 on a number is whole; smaller ones are integers of 64 bits.
  Scalar far = cast(exponent, DType::Uint128) - 1075;
  Scalar large = binary(BinaryOp::Shl, cast(fraction, DType::Uint128), far);
  Scalar isLarge = exponent >= 1075;
  Scalar size = unary(UnaryOp::Abs, number);
  Scalar small = cast(cast(select(isLarge, constant(DType::Float64, 0.0), size), DType::Uint64),
                      DType::Uint128);
  Scalar magnitude = cast(select(isLarge, large, small), to);
  Scalar negative = number < 0.0;
  Scalar one = constant(to, int64_t(1));
  Scalar result = select(negative, isSigned(to) ? -magnitude : constant(to, int64_t(0)), magnitude);
  const int64_t width = isSigned(to) ? 127 : 128;
  Scalar least = isSigned(to) ? binary(BinaryOp::Shl, one, 127) : constant(to, int64_t(0));
  Scalar beyond = exponent >= 1023 + width;
  result = select(beyond, select(negative, least, least - 1), result);
  return select(number == number, result, constant(to, int64_t(0)));
}

/// Converts a constant. A number that does not fit gives the nearest one that does, NaN gives 0;
/// LLVM would leave such constants undefined.
mlir::Value constantToInteger(Program::Impl &impl, const APFloat &number, DType to) {
  APSInt result(bitWidth(to), /*isUnsigned=*/!isSigned(to));
  bool exact;
  number.convertToInteger(result, APFloat::rmTowardZero, &exact);
  auto type = valueType(impl.context.get(), to);
  return arith::ConstantOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                   IntegerAttr::get(type, result));
}

} // namespace

Scalar cast(const Scalar &a, DType to) {
  Program::Impl &impl = currentImpl("a conversion of a traced value");
  if (a.isLiteral())
    return wrap(to, emitAs(impl, a, to),
                isInteger(to) && !a.isFloatLiteral() ? a.divisibility() : 1);
  DType from = a.dtype();
  if (from == to)
    return a;
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value value = emit(impl, a);
  mlir::Type type = valueType(impl.context.get(), to);
  if (isNarrowFloat(from))
    return cast(wrap(DType::Float32, emitFromNarrow(impl, value, from)), to);
  if (to == DType::Boolean)
    return wrap(to, toBoolean(b, loc, value, from));
  if (isNarrowFloat(to)) {
    // Round integers beyond 2^53 to odd: the odd last bit marks the result as inexact.
    Scalar number = isFloat(from)          ? a
                    : bitWidth(from) >= 64 ? wideToFloat64(a, /*toOdd=*/true)
                                           : cast(a, DType::Float64);
    return wrap(to, emitToNarrow(impl, emit(impl, number), to));
  }
  // Some processors and libraries have no conversions of 128 bits, and none of 64 bits to BFloat16
  // that rounds only once.
  if (isFloat(to) && (bitWidth(from) == 128 || (to == DType::BFloat16 && isInteger(from)))) {
    const bool isLong = bitWidth(from) >= 64;
    if (to != DType::Float64)
      return cast(isLong ? wideToFloat64(a, /*toOdd=*/true) : cast(a, DType::Float64), to);
    return wideToFloat64(a, /*toOdd=*/false);
  }
  if (isFloat(from) && isFloat(to))
    return wrap(to, floatToFloat(b, loc, value, from, type, to));
  // Published programs saturate at 16 bits and keep the lowest bits.
  if (isFloat(from) && bitWidth(to) < 16 && tracingDialect().publishedForm)
    return cast(cast(a, isSigned(to) ? DType::Int16 : DType::Uint16), to);
  APFloat number(0.0);
  if (isFloat(from) && matchPattern(value, m_ConstantFloat(&number)))
    return wrap(to, constantToInteger(impl, number, to));
  if (isFloat(from) && bitWidth(to) == 128)
    return float64To128(cast(a, DType::Float64), to);
  if (isFloat(from)) {
    if (isSigned(to))
      return wrap(to, arith::FPToSIOp::create(b, loc, type, value));
    return wrap(to, arith::FPToUIOp::create(b, loc, type, value));
  }
  if (isFloat(to)) {
    if (isSigned(from))
      return wrap(to, b.createOrFold<arith::SIToFPOp>(loc, type, value));
    return wrap(to, b.createOrFold<arith::UIToFPOp>(loc, type, value));
  }
  // Widening keeps divisors; narrowing may wrap, which keeps only powers of two: drop them.
  return wrap(to, integerToInteger(b, loc, value, from, type, to),
              bitWidth(to) >= bitWidth(from) ? a.divisibility() : 1);
}

Scalar publishedCast(const Scalar &a, DType to) {
  const DType from = a.dtype();
  const bool extends = isInteger(from) && isSigned(from) && isInteger(to) && !isSigned(to) &&
                       bitWidth(to) > bitWidth(from);
  if (!extends || a.isLiteral() || a.staticInt())
    return cast(a, to);
  Program::Impl &impl = currentImpl("a conversion of a traced value");
  OpBuilder &b = impl.builder;
  return wrap(to, b.createOrFold<arith::ExtUIOp>(b.getUnknownLoc(), valueType(b.getContext(), to),
                                                 emit(impl, a)));
}

} // namespace fairlead::dsl
