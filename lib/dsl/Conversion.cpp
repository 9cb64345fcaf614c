/// Conversions between numeric types.
#include "mlir/IR/Matchers.h"

#include "dsl/Builder.h"
#include "dsl/NarrowFloat.h"

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
  // float16 <-> bfloat16 goes through float32, which holds both.
  mlir::Value wide = b.createOrFold<arith::ExtFOp>(loc, b.getF32Type(), value);
  return b.createOrFold<arith::TruncFOp>(loc, type, wide);
}

/// Integers of 64 bits rounded to odd in the 53 bits of a Float64: rounded again, they give what
/// rounding once does. Others as they are.
Scalar withStickyBits(const Scalar &a) {
  constexpr int64_t kLowest = 0x7FF;
  if (bitWidth(a.dtype()) < 64)
    return a;
  Scalar negative = isSigned(a.dtype()) ? a < 0 : Scalar(false);
  Scalar size = isSigned(a.dtype()) ? select(negative, -a, a) : a;
  Scalar rest = size & kLowest;
  Scalar odd = (size - rest) | cast(rest != 0, a.dtype()) * (kLowest + 1);
  Scalar large = binary(BinaryOp::Shr, size, 53) != 0;
  Scalar result = select(large, odd, size);
  return isSigned(a.dtype()) ? select(negative, -result, result) : result;
}

/// Numbers that do not fit give the nearest that there is (of 16 bits for narrower types, which are
/// cut to size), NaN gives 0. LLVM would leave constants among them undefined.
mlir::Value constantToInteger(Program::Impl &impl, const APFloat &number, DType to) {
  unsigned width = bitWidth(to);
  APSInt result(std::max(width, 16u), /*isUnsigned=*/!isSigned(to));
  bool exact;
  number.convertToInteger(result, APFloat::rmTowardZero, &exact);
  return emitIntConstant(impl, to, static_cast<int64_t>(result.trunc(width).getZExtValue()));
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
    // Integers beyond 2^53 keep their exponent, and that they are inexact, in an odd last bit.
    Scalar wide = isFloat(from) ? a : cast(withStickyBits(a), DType::Float64);
    return wrap(to, emitToNarrow(impl, emit(impl, wide), to));
  }
  if (isFloat(from) && isFloat(to))
    return wrap(to, floatToFloat(b, loc, value, from, type, to));
  APFloat number(0.0);
  if (isFloat(from) && matchPattern(value, m_ConstantFloat(&number)))
    return wrap(to, constantToInteger(impl, number, to));
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

} // namespace fairlead::dsl
