/// Conversions of floats of 8, 6 and 4 bits and of TFloat32, in integer arithmetic: the same on
/// every target. Kernels for GPUs alone convert to 8 bits by an instruction with the same results.
#include "dsl/value/NarrowFloat.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/APFloat.h"

#include "fairlead/dsl/TracingDialect.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

struct Format {
  int exponentBits, fractionBits, bias;
  unsigned largest; ///< the bits of the largest number
  std::optional<unsigned> nan;
  bool hasInfinity;  ///< all ones as exponent are infinity and NaN
  bool unsignedZero; ///< the bits of -0 are NaN
};

Format formatOf(DType type) {
  switch (type) {
  case DType::Float8E5M2:
    return {5, 2, 15, 0x7B, 0x7F, true, false};
  case DType::Float8E4M3:
    return {4, 3, 7, 0x77, 0x7F, true, false};
  case DType::Float8E4M3FN:
    return {4, 3, 7, 0x7E, 0x7F, false, false};
  case DType::Float8E4M3B11FNUZ:
    return {4, 3, 11, 0x7F, 0x80, false, true};
  case DType::Float6E3M2FN:
    return {3, 2, 3, 0x1F, std::nullopt, false, false};
  case DType::Float6E2M3FN:
    return {2, 3, 1, 0x1F, std::nullopt, false, false};
  default: // Float4E2M1FN
    return {2, 1, 1, 0x7, std::nullopt, false, false};
  }
}

/// Integer arithmetic on the bits of floats of one type.
struct Bits {
  OpBuilder &b;
  Location loc;
  FloatType floats;
  IntegerType ints;
  int width, fraction, bias;

  Bits(Program::Impl &impl, mlir::Type type)
      : b(impl.builder), loc(b.getUnknownLoc()), floats(cast<FloatType>(type)),
        ints(b.getIntegerType(floats.getWidth())), width(static_cast<int>(floats.getWidth())),
        fraction(width == 64 ? 52 : 23), bias(width == 64 ? 1023 : 127) {}

  mlir::Value number(uint64_t value) const {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(ints, static_cast<int64_t>(value)));
  }
  template <typename Op> mlir::Value op(mlir::Value x, mlir::Value y) const {
    return b.createOrFold<Op>(loc, x, y);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) const { return op<arith::AddIOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) const { return op<arith::SubIOp>(x, y); }
  mlir::Value both(mlir::Value x, uint64_t mask) const {
    return op<arith::AndIOp>(x, number(mask));
  }
  mlir::Value either(mlir::Value x, mlir::Value y) const { return op<arith::OrIOp>(x, y); }
  mlir::Value right(mlir::Value x, int by) const { return op<arith::ShRUIOp>(x, number(by)); }
  mlir::Value left(mlir::Value x, int by) const { return op<arith::ShLIOp>(x, number(by)); }
  mlir::Value above(mlir::Value x, uint64_t limit) const {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, x, number(limit));
  }
  mlir::Value equal(mlir::Value x, uint64_t other) const {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, number(other));
  }
  mlir::Value choose(mlir::Value flag, mlir::Value x, mlir::Value y) const {
    return b.createOrFold<arith::SelectOp>(loc, flag, x, y);
  }
  mlir::Value bitsOf(mlir::Value x) const { return b.createOrFold<arith::BitcastOp>(loc, ints, x); }
  mlir::Value floatOf(mlir::Value x) const {
    return b.createOrFold<arith::BitcastOp>(loc, floats, x);
  }
  uint64_t infinity() const { return width == 64 ? 0x7FF0000000000000u : 0x7F800000u; }
  uint64_t magnitude() const { return width == 64 ? 0x7FFFFFFFFFFFFFFFu : 0x7FFFFFFFu; }

  /// `x` without its last `dropped` bits, rounded to the nearest, ties to even.
  mlir::Value roundOff(mlir::Value x, int dropped) const {
    mlir::Value lowest = both(right(x, dropped), 1);
    return right(add(add(x, number((uint64_t(1) << (dropped - 1)) - 1)), lowest), dropped);
  }
  /// Truncates to 8 bits.
  mlir::Value byte(mlir::Value x) const {
    return b.createOrFold<arith::TruncIOp>(loc, b.getI8Type(), x);
  }
};

/// Bits of a Float32's fraction that a TFloat32 lacks.
constexpr int kBitsBelowTFloat32 = 13;

/// Rounds the lowest bits of the fraction away.
mlir::Value roundFraction(const Bits &bits, mlir::Value value, int dropped) {
  mlir::Value all = bits.bitsOf(value);
  // Rounding cannot carry into the sign bit: only an infinity could, and it is left as it is.
  mlir::Value rounded = bits.left(bits.roundOff(all, dropped), dropped);
  mlir::Value special = bits.equal(bits.both(all, bits.infinity()), bits.infinity());
  return bits.floatOf(bits.choose(special, all, rounded));
}

/// The least power of two that a Float32's magnitude does not exceed, as cvt.rp.ue8m0x2 does: 255
/// if it is NaN or above the largest power.
mlir::Value toE8M0Above(const Bits &bits, mlir::Value value) {
  mlir::Value abs = bits.both(bits.bitsOf(value), bits.magnitude());
  mlir::Value exponent = bits.right(bits.add(abs, bits.number(0x007FFFFF)), bits.fraction);
  mlir::Value subnormal = // 2^-127 is the least power
      bits.b.createOrFold<arith::ExtUIOp>(bits.loc, bits.ints, bits.above(abs, 0x00400000));
  mlir::Value code = bits.choose(bits.above(abs, 0x007FFFFF), exponent, subnormal);
  return bits.byte(bits.choose(bits.above(code, 255), bits.number(255), code));
}

mlir::Value toE8M0(const Bits &bits, mlir::Value value) {
  mlir::Value all = bits.bitsOf(value);
  mlir::Value abs = bits.both(all, bits.magnitude());
  int offset = bits.bias - 127; // from 2^-127 on, which in Float32 is subnormal
  // Without fraction bits, a tie has no even neighbour: round up.
  mlir::Value exponent =
      bits.right(bits.add(abs, bits.number(uint64_t(1) << (bits.fraction - 1))), bits.fraction);
  mlir::Value code;
  if (bits.width == 64) {
    exponent = bits.sub(exponent, bits.number(offset));
    mlir::Value tiny = bits.b.createOrFold<arith::CmpIOp>(bits.loc, arith::CmpIPredicate::slt,
                                                          exponent, bits.number(0));
    code = bits.choose(tiny, bits.number(0), exponent);
  } else {
    mlir::Value subnormal =
        bits.b.createOrFold<arith::ExtUIOp>(bits.loc, bits.ints, bits.above(abs, 0x005FFFFF));
    code = bits.choose(bits.above(abs, 0x007FFFFF), exponent, subnormal);
  }
  code = bits.choose(bits.above(code, 254), bits.number(254), code);
  mlir::Value negative = bits.above(all, bits.magnitude() + 1); // -0 is 0
  mlir::Value bad = bits.either(bits.above(abs, bits.infinity()), negative);
  return bits.byte(bits.choose(bad, bits.number(255), code));
}

mlir::Value toFormat(const Bits &bits, mlir::Value value, const Format &format) {
  mlir::Value all = bits.bitsOf(value);
  mlir::Value abs = bits.both(all, bits.magnitude());
  int dropped = bits.fraction - format.fractionBits;
  uint64_t rebias = static_cast<uint64_t>(bits.bias - format.bias) << format.fractionBits;
  mlir::Value normal = bits.sub(bits.roundOff(abs, dropped), bits.number(rebias));
  // Below the least normal number an addition rounds: the sum's last bit is worth a subnormal step.
  uint64_t stepExponent =
      static_cast<uint64_t>(bits.bias + 1 - format.bias - format.fractionBits + bits.fraction);
  mlir::Value magic = bits.number(stepExponent << bits.fraction);
  mlir::Value sum =
      bits.b.createOrFold<arith::AddFOp>(bits.loc, bits.floatOf(abs), bits.floatOf(magic));
  mlir::Value subnormal = bits.sub(bits.bitsOf(sum), magic);
  uint64_t leastNormal = static_cast<uint64_t>(bits.bias + 1 - format.bias) << bits.fraction;
  mlir::Value code = bits.choose(bits.above(abs, leastNormal - 1), normal, subnormal);
  code = bits.choose(bits.above(code, format.largest), bits.number(format.largest), code);
  int signAt = format.exponentBits + format.fractionBits;
  mlir::Value sign = bits.left(bits.right(all, bits.width - 1), signAt);
  if (format.unsignedZero)
    sign = bits.choose(bits.equal(code, 0), bits.number(0), sign);
  code = bits.either(code, sign);
  mlir::Value isNaN = bits.above(abs, bits.infinity());
  return bits.byte(bits.choose(isNaN, bits.number(format.nan.value_or(format.largest)), code));
}

/// True if a kernel is traced for GPUs that all have `cvt.rn.satfinite.e4m3x2.f32`.
bool hasInstruction(Program::Impl &impl, DType to) {
  constexpr int kLeastCapability = 90;
  return impl.kernel && (to == DType::Float8E4M3FN || to == DType::Float8E5M2) &&
         Program::current()->target().gpu() && llvm::all_of(impl.targets, [](const Target &target) {
           return !target.gpu() || target.gpu()->capability() >= kLeastCapability;
         });
}

/// Numbers beyond the largest, and infinity, become the largest; NaN becomes 0x7F.
mlir::Value byInstruction(Program::Impl &impl, mlir::Value value, DType to) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  const mlir::Type type = to == DType::Float8E4M3FN
                              ? mlir::Type(Float8E4M3FNType::get(b.getContext()))
                              : mlir::Type(Float8E5M2Type::get(b.getContext()));
  // A pair, whose upper number is 0.
  mlir::Value pair = NVVM::ConvertF32x2ToF8x2Op::create(
      b, loc, b.getI16Type(), emitConstant(impl, DType::Float32, 0), value,
      NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE, /*relu=*/false, type);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), pair);
}

mlir::Value fromE8M0(const Bits &bits, mlir::Value code) {
  mlir::Value number =
      bits.choose(bits.equal(code, 0), bits.number(0x00400000), bits.left(code, bits.fraction));
  return bits.floatOf(bits.choose(bits.equal(code, 255), bits.number(0x7FC00000), number));
}

mlir::Value fromFormat(const Bits &bits, mlir::Value code, const Format &format) {
  int signAt = format.exponentBits + format.fractionBits;
  uint64_t largestCode = (uint64_t(1) << signAt) - 1;
  mlir::Value magnitude = bits.both(code, largestCode);
  int shift = bits.fraction - format.fractionBits;
  mlir::Value shifted = bits.left(magnitude, shift);
  uint64_t rebias = static_cast<uint64_t>(bits.bias - format.bias) << bits.fraction;
  // Subnormal numbers: as if the exponent were 1, without the hidden bit.
  mlir::Value one = bits.number(rebias + (uint64_t(1) << bits.fraction));
  mlir::Value subnormal = bits.bitsOf(bits.b.createOrFold<arith::SubFOp>(
      bits.loc, bits.floatOf(bits.add(shifted, one)), bits.floatOf(one)));
  mlir::Value isNormal = bits.above(magnitude, (uint64_t(1) << format.fractionBits) - 1);
  mlir::Value number = bits.choose(isNormal, bits.add(shifted, bits.number(rebias)), subnormal);
  if (format.hasInfinity) {
    uint64_t special = largestCode & ~((uint64_t(1) << format.fractionBits) - 1);
    number = bits.choose(bits.above(magnitude, special - 1),
                         bits.either(bits.number(bits.infinity()),
                                     bits.left(bits.both(magnitude, largestCode ^ special), shift)),
                         number);
  } else if (format.nan && !format.unsignedZero) {
    number = bits.choose(bits.equal(magnitude, *format.nan), bits.number(0x7FC00000), number);
  }
  mlir::Value sign = bits.left(bits.both(bits.right(code, signAt), 1), bits.width - 1);
  mlir::Value result = bits.either(number, sign);
  if (format.unsignedZero)
    result = bits.choose(bits.equal(bits.both(code, 0xFF), *format.nan), bits.number(0x7FC00000),
                         result);
  return bits.floatOf(result);
}

} // namespace

mlir::Value emitToNarrow(Program::Impl &impl, mlir::Value value, DType to) {
  OpBuilder &b = impl.builder;
  mlir::Type type = value.getType();
  if (type.getIntOrFloatBitWidth() < 32) {
    type = b.getF32Type();
    value = b.createOrFold<arith::ExtFOp>(b.getUnknownLoc(), type, value);
  }
  if (tracingDialect().publishedForm && (to == DType::TFloat32 || to == DType::Float8E8M0FNU)) {
    // Published programs move the bits of a Float32, whose upper 19 products read. They round scale
    // factors up.
    if (type.isF64())
      value = b.createOrFold<arith::TruncFOp>(b.getUnknownLoc(), b.getF32Type(), value);
    return to == DType::TFloat32 ? value : toE8M0Above(Bits(impl, b.getF32Type()), value);
  }
  Bits bits(impl, type);
  if (bits.width == 32 && hasInstruction(impl, to))
    return byInstruction(impl, value, to);
  if (to == DType::Float8E8M0FNU)
    return toE8M0(bits, value);
  if (to != DType::TFloat32)
    return toFormat(bits, value, formatOf(to));
  if (bits.width == 64) {
    // Round once, to the fraction of a TFloat32, which a Float32 can hold. Numbers below the
    // normal Float32 range are rounded twice, far below the resolution of a TFloat32.
    value = b.createOrFold<arith::TruncFOp>(b.getUnknownLoc(), b.getF32Type(),
                                            roundFraction(bits, value, 42));
    return roundFraction(Bits(impl, b.getF32Type()), value, kBitsBelowTFloat32);
  }
  return roundFraction(bits, value, kBitsBelowTFloat32);
}

mlir::Value emitFromNarrow(Program::Impl &impl, mlir::Value value, DType from) {
  if (from == DType::TFloat32)
    return value;
  Bits bits(impl, impl.builder.getF32Type());
  mlir::Value code = bits.b.createOrFold<arith::ExtUIOp>(bits.loc, bits.ints, value);
  return from == DType::Float8E8M0FNU ? fromE8M0(bits, code)
                                      : fromFormat(bits, code, formatOf(from));
}

} // namespace fairlead::dsl
