/// Arithmetic, comparisons and conversions of inline PTX.
#include <cmath>

#include "dsl/ptx/Reader.h"
#include "fairlead/dsl/Instructions.h"

using llvm::StringRef;

namespace fairlead::dsl::ptx {
namespace {

/// A type of two numbers in a register of twice their width, as f16x2.
std::optional<DType> halfOf(StringRef word) {
  constexpr DType kTypes[] = {DType::Float32,      DType::Float16,      DType::BFloat16,
                              DType::Float8E4M3FN, DType::Float8E5M2,   DType::Float4E2M1FN,
                              DType::Float6E3M2FN, DType::Float6E2M3FN, DType::Float8E8M0FNU};
  const int place = placeIn("f32x2 f16x2 bf16x2 e4m3x2 e5m2x2 e2m1x2 e3m2x2 e2m3x2 ue8m0x2", word);
  return place < 0 ? std::nullopt : std::optional(kTypes[place]);
}

/// The number of operands of an arithmetic instruction; 0 for another instruction.
int operandCount(StringRef name) {
  const int place = placeIn("neg abs not add sub fmul div min max and or xor fma", name);
  return place < 0 ? 0 : place < 3 ? 1 : place < 12 ? 2 : 3;
}

/// The minimum or maximum. If one of two floats is a NaN, the other one, or PTX's NaN if it
/// propagates.
Scalar extreme(BinaryOp op, const Scalar &a, const Scalar &b, bool propagatesNaN) {
  Scalar result = binary(op, a, b);
  if (!isFloat(a.dtype()))
    return result;
  if (propagatesNaN) {
    const int width = bitWidth(a.dtype());
    const Scalar bits = constant(unsignedOf(width), (int64_t{1} << (width - 1)) - 1);
    return select(a != a || b != b, bitcast(bits, a.dtype()), result);
  }
  return select(a != a, b, select(b != b, a, result));
}

/// Returns `a * b + c` of floats of 16 bits, rounded once. Float64 holds the product. The sum is
/// rounded to odd, so that the conversion to 16 bits gives what one rounding would.
Scalar multiplyAddOf16Bits(const Scalar &a, const Scalar &b, const Scalar &c) {
  const Scalar product = cast(a, DType::Float64) * cast(b, DType::Float64);
  const Scalar addend = cast(c, DType::Float64), sum = product + addend, rest = sum - product;
  const Scalar error = (product - (sum - rest)) + (addend - rest);
  const Scalar isBelow = error > 0.0, isAbove = error < 0.0, bits = bitcast(sum, DType::Int64);
  const Scalar isTooLong = select(sum > 0.0, isAbove, isBelow);
  const Scalar odd = (bits - cast(isTooLong, DType::Int64)) | 1;
  return cast(bitcast(select(isBelow || isAbove, odd, bits), DType::Float64), a.dtype());
}

Scalar applied(StringRef name, const Scalars &x, bool propagatesNaN) {
  if (name == "neg")
    return -x[0];
  if (name == "abs")
    return unary(UnaryOp::Abs, x[0]);
  if (name == "not")
    return unary(x[0].dtype() == DType::Boolean ? UnaryOp::Not : UnaryOp::Invert, x[0]);
  if (name == "min" || name == "max")
    return extreme(name == "min" ? BinaryOp::Min : BinaryOp::Max, x[0], x[1], propagatesNaN);
  if (name == "fma" && bitWidth(x[0].dtype()) == 16)
    return multiplyAddOf16Bits(x[0], x[1], x[2]);
  if (name == "fma")
    return multiplyAdd(x[0], x[1], x[2]);
  constexpr BinaryOp kOperations[] = {BinaryOp::Add,     BinaryOp::Sub, BinaryOp::Mul,
                                      BinaryOp::TrueDiv, BinaryOp::And, BinaryOp::Or,
                                      BinaryOp::Xor};
  return binary(kOperations[placeIn("add sub fmul div and or xor", name)], x[0], x[1]);
}

Scalar rounded(StringRef name, StringRef word, const Scalars &numbers) {
  const Rounding rounding = word == "rz"   ? Rounding::Zero
                            : word == "rm" ? Rounding::Down
                                           : Rounding::Up;
  return directed(name, rounding, numbers);
}

Scalar notNegative(const Scalar &number) {
  return select(number > 0.0 || number != number, number, constant(number.dtype(), 0.0));
}

/// 0 for NaN.
Scalar fromZeroToOne(const Scalar &number) {
  const Scalar zero = constant(number.dtype(), 0.0), one = constant(number.dtype(), 1.0);
  return select(number > 0.0, select(number < 1.0, number, one), zero);
}

/// A subnormal Float32 as a zero of its sign; other numbers as they are.
Scalar flushed(const Scalar &number) {
  if (number.dtype() != DType::Float32)
    return number;
  return select(unary(UnaryOp::Abs, number) < 0x1p-126, number * 0.0, number);
}

/// The integer that is nearest among those of a type.
Scalar clamped(const Scalar &number, DType type) {
  const DType source = number.dtype();
  auto digits = [](DType of) { return bitWidth(of) - (isSigned(of) ? 1 : 0); };
  Scalar result = number;
  if (digits(source) > digits(type)) {
    const Scalar most = constant(source, static_cast<int64_t>((uint64_t{1} << digits(type)) - 1));
    result = select(result > most, most, result);
  }
  if (isSigned(source) && (!isSigned(type) || bitWidth(source) > bitWidth(type))) {
    const Scalar least =
        constant(source, isSigned(type) ? -(int64_t{1} << digits(type)) : int64_t{0});
    result = select(number < least, least, result);
  }
  return result;
}

/// The word that rounds a float to a whole number: to the nearest, ties to even, or in a direction.
std::optional<StringRef> roundingToWhole(Words words) {
  for (StringRef word : words)
    if (placeIn("rni rzi rmi rpi", word) >= 0)
      return word;
  return std::nullopt;
}

Scalar wholeNumber(const Scalar &number, StringRef word) {
  if (word == "rzi")
    return select(number < 0.0, unary(UnaryOp::Ceil, number), unary(UnaryOp::Floor, number));
  if (word != "rni")
    return unary(word == "rmi" ? UnaryOp::Floor : UnaryOp::Ceil, number);
  const Scalar number64 = cast(number, DType::Float64);
  const Scalar sum = number64 + 0x1.8p52; // it has no bits for a fraction
  const Scalar near = sum - 0x1.8p52, signedNear = select(near == 0.0, number64 * 0.0, near);
  return cast(select(unary(UnaryOp::Abs, number64) < 0x1p51, signedNear, number64), number.dtype());
}

std::optional<UnaryOp> functionOf(StringRef name) {
  constexpr UnaryOp kFunctions[] = {UnaryOp::Exp2, UnaryOp::Log2, UnaryOp::Sin,  UnaryOp::Cos,
                                    UnaryOp::Tanh, UnaryOp::Sqrt, UnaryOp::Rsqrt};
  const int place = placeIn("ex2 lg2 sin cos tanh sqrt rsqrt", name);
  return place < 0 ? std::nullopt : std::optional(kFunctions[place]);
}

} // namespace

std::optional<StringRef> directionOf(Words words) {
  for (StringRef word : words)
    if (word == "rz" || word == "rm" || word == "rp")
      return word;
  return std::nullopt;
}

bool Reader::approximate(StringRef name, Words words, Operands operands) {
  const std::optional<UnaryOp> function = functionOf(name);
  if ((!function && name != "rcp") || operands.size() != 2)
    return false;
  if (words.empty() || (words.back() != "f32" && words.back() != "f64"))
    return false;
  Scalar number = read(operands[1], lastType(words));
  if (auto word = directionOf(words)) {
    if (number.dtype() != DType::Float32)
      return false;
    number = rounded(name, *word, {number});
  } else {
    number = function ? unary(*function, number)
                      : binary(BinaryOp::TrueDiv, constant(number.dtype(), 1.0), number);
  }
  write(operands[0], number);
  return true;
}

void Reader::pairArithmetic(StringRef name, Words words, Operands operands) {
  const DType part = *halfOf(words.back());
  const int width = bitWidth(part);
  require(width > 8);
  const DType bits = unsignedOf(width), whole = unsignedOf(2 * width);
  Scalar result = constant(whole, int64_t{0});
  const Scalars pairs = values(operands, 1, whole);
  for (int shift : {0, width}) {
    Scalars numbers;
    for (const Scalar &pair : pairs)
      numbers.push_back(bitcast(cast(pair >> shift, bits), part));
    result =
        result | (cast(bitcast(applied(name, numbers, has(words, "NaN")), bits), whole) << shift);
  }
  write(operands[0], result);
}

bool Reader::arithmetic(StringRef name, Words words, Operands operands) {
  const int count = operandCount(name);
  if (count == 0 || words.empty() || static_cast<int>(operands.size()) != count + 1)
    return false;
  if (halfOf(words.back())) {
    if (directionOf(words) || has(words, "sat") || has(words, "relu"))
      return false;
    pairArithmetic(name, words, operands);
    return true;
  }
  const DType type = lastType(words);
  const bool computesFloats = isFloat(type);
  const auto direction = computesFloats ? directionOf(words) : std::nullopt;
  if ((direction && type != DType::Float32) || (name == "div" && !computesFloats) ||
      (has(words, "sat") && !computesFloats) || has(words, "xorsign"))
    return false;
  const Scalars numbers = values(operands, 1, type);
  Scalar result = direction ? rounded(name == "fmul" ? "mul" : name, *direction, numbers)
                            : applied(name, numbers, has(words, "NaN"));
  if (has(words, "sat"))
    result = fromZeroToOne(result);
  if (has(words, "relu"))
    result = notNegative(result);
  write(operands[0], result);
  return true;
}

/// `redux.sync.max.NaN.f32 d, a, mask`
void Reader::reduxOf(Words words, Operands operands) {
  require(words.size() >= 3 && words[0] == "sync" && operands.size() == 3);
  require(placeIn("add min max and or xor", words[1]) >= 0);
  const DType type = lastType(words);
  require(bitWidth(type) == 32);
  const Scalar mask = read(operands[2], DType::Int32);
  Scalar value = read(operands[1], type);
  if (has(words, "abs"))
    value = unary(UnaryOp::Abs, value);
  auto combined = [&](const Scalar &a, Shuffle kind, int lane) {
    const Scalar other = shuffle(kind, bitcast(value, DType::Uint32), lane, mask, 31);
    return applied(words[1], {a, bitcast(other, type)}, has(words, "NaN"));
  };
  if (mask.staticInt() == -1) {
    for (int distance : {16, 8, 4, 2, 1})
      value = combined(value, Shuffle::Butterfly, distance);
    return write(operands[0], value);
  }
  // The thread's own value counts twice without effect, but for sums.
  const bool isSum = words[1] == "add" || words[1] == "xor";
  Scalar result = isSum ? constant(type, int64_t{0}) : value;
  for (int lane = 0; lane < 32; ++lane)
    result = select(((mask >> lane) & 1) != 0, combined(result, Shuffle::Index, lane), result);
  write(operands[0], result);
}

Scalar Reader::product(Words words, Operands operands) {
  const DType type = lastType(words);
  const Scalar a = read(operands[1], type), b = read(operands[2], type);
  const bool isWide = has(words, "wide");
  if (!isWide && !has(words, "hi"))
    return a * b;
  const DType doubled = doubleOf(type);
  const Scalar product = cast(a, doubled) * cast(b, doubled);
  return isWide ? product : cast(product >> bitWidth(type), type);
}

void Reader::mul(Words words, Operands operands) {
  require(operands.size() == 3 && !words.empty());
  if (halfOf(words.back()) || words.back().starts_with("f") || words.back().starts_with("bf")) {
    require(arithmetic("fmul", words, operands));
    return;
  }
  write(operands[0], product(words, operands));
}

void Reader::mad(Words words, Operands operands) {
  require(operands.size() == 4 && !words.empty());
  if (words.back().starts_with("f")) {
    require(arithmetic("fma", words, operands));
    return;
  }
  require(!has(words, "sat") && !has(words, "cc"));
  const Scalar partial = product(words, operands);
  write(operands[0], partial + read(operands[3], partial.dtype()));
}

void Reader::move(Words words, Operands operands) {
  require(operands.size() == 2);
  write(operands[0], read(operands[1], lastType(words)));
}

/// The bits of a float of 4 or 6 bits: exponent and mantissa.
struct FloatFormat {
  int exponent, mantissa;

  int bias() const { return (1 << (exponent - 1)) - 1; }
};

/// The format of a float of less than 8 bits, which has neither infinities nor NaN.
std::optional<FloatFormat> smallFormat(DType type) {
  switch (type) {
  case DType::Float4E2M1FN:
    return FloatFormat{2, 1};
  case DType::Float6E3M2FN:
    return FloatFormat{3, 2};
  case DType::Float6E2M3FN:
    return FloatFormat{2, 3};
  default:
    return std::nullopt;
  }
}

/// The bits of a Float32 as a float of 4 or 6 bits, in a byte; NaN is the largest number.
Scalar bitsOfSmall(const Scalar &number, DType type, FloatFormat format) {
  const int digits = format.exponent + format.mantissa, bias = format.bias();
  const Scalar magnitude = unary(UnaryOp::Abs, cast(cast(number, type), DType::Float32));
  const Scalar normal = (bitcast(magnitude, DType::Uint32) >> (23 - format.mantissa)) -
                        uint32((127 - bias) << format.mantissa);
  const Scalar subnormal =
      cast(magnitude * std::ldexp(1.0, bias - 1 + format.mantissa), DType::Uint32);
  const Scalar code = select(magnitude >= std::ldexp(1.0, 1 - bias), normal, subnormal);
  const Scalar sign = (bitcast(number, DType::Uint32) >> 31) << digits;
  return cast(select(number != number, uint32((1 << digits) - 1), code | sign), DType::Uint8);
}

/// The exponent of a Float32 as a Float8E8M0FNU, rounded toward zero or up (`rp`), of its
/// magnitude. Above 2^127: NaN, or 2^127 (`satfinite`).
Scalar bitsOfExponent(const Scalar &number, Words words) {
  const Scalar magnitude = bitcast(number, DType::Uint32) & 0x7FFFFFFF;
  Scalar code = magnitude >> 23;
  if (has(words, "rp")) { // code 0 is 2^-127, a subnormal Float32
    const Scalar exact = select(code == 0, uint32(0x400000), uint32(0));
    code = code + cast((magnitude & 0x7FFFFF) > exact, DType::Uint32);
  }
  code = select(code > 254, uint32(has(words, "satfinite") ? 254 : 255), code);
  return cast(select(number != number, uint32(255), code), DType::Uint8);
}

/// The Float32 of the float of 4 or 6 bits in the low bits of a byte.
Scalar floatOfSmall(const Scalar &byte, FloatFormat format) {
  const int digits = format.exponent + format.mantissa, bias = format.bias();
  const Scalar word = cast(byte, DType::Uint32);
  const Scalar exponent = (word >> format.mantissa) & ((1 << format.exponent) - 1);
  const Scalar fraction = word & ((1 << format.mantissa) - 1);
  const Scalar normal = ((exponent + (127 - bias)) << 23) | (fraction << (23 - format.mantissa));
  const Scalar subnormal = bitcast(
      cast(fraction, DType::Float32) * std::ldexp(1.0, 1 - bias - format.mantissa), DType::Uint32);
  const Scalar sign = (word & (1 << digits)) << (31 - digits);
  return bitcast(select(exponent == 0, subnormal, normal) | sign, DType::Float32);
}

/// Bits that a number of a pair takes: floats of 6 bits are in bytes.
int bitsInPair(DType type) { return bitWidth(type) == 6 ? 8 : bitWidth(type); }

/// The bits of a Float32 in a narrower type, as the words of the instruction ask: rounded toward
/// zero (`rz`), and with the largest finite number for infinities and one NaN for all
/// (`satfinite`). Floats of 8 bits are always saturated.
Scalar narrowedBits(const Scalar &number, DType type, Words words) {
  if (auto format = smallFormat(type))
    return bitsOfSmall(number, type, *format);
  if (type == DType::Float8E8M0FNU)
    return bitsOfExponent(number, words);
  const DType bits = unsignedOf(bitWidth(type));
  const Scalar nearest = cast(number, type);
  Scalar result = bitcast(nearest, bits);
  if (has(words, "rz")) {
    const Scalar magnitude = unary(UnaryOp::Abs, cast(nearest, DType::Float32));
    result = select(magnitude > unary(UnaryOp::Abs, number), result - 1, result);
  }
  if (bitWidth(type) == 16 && has(words, "satfinite")) {
    const int64_t infinity = type == DType::Float16 ? 0x7C00 : 0x7F80;
    result = select((result & constant(bits, int64_t{0x7FFF})) == infinity, result - 1, result);
    result = select(number != number, constant(bits, int64_t{0x7FFF}), result);
  }
  return result;
}

/// To a pair of narrower floats, the upper one first, from two Float32 or a pair.
void Reader::convertPair(Words words, Operands operands) {
  const DType part = *halfOf(words[words.size() - 2]);
  const auto direction = directionOf(words);
  if (part == DType::Float8E8M0FNU)
    require(has(words, "rz") || has(words, "rp"));
  else
    require(!direction || (*direction == "rz" && bitWidth(part) == 16));
  Scalars numbers;
  if (words.back() == "f32") {
    numbers = values(operands, 1, DType::Float32);
  } else {
    const DType half = *halfOf(words.back());
    const auto format = smallFormat(half);
    const Scalar pair = read(operands[1], unsignedOf(2 * bitsInPair(half)));
    for (int shift : {bitsInPair(half), 0}) {
      const Scalar number = pair >> shift;
      numbers.push_back(
          format ? floatOfSmall(number, *format)
                 : cast(bitcast(cast(number, unsignedOf(bitWidth(half))), half), DType::Float32));
    }
  }
  require(numbers.size() == 2);
  const DType pair = unsignedOf(2 * bitsInPair(part));
  for (Scalar &number : numbers) {
    if (has(words, "relu"))
      number = notNegative(number);
    number = cast(narrowedBits(number, part, words), pair);
  }
  write(operands[0], (numbers[0] << bitsInPair(part)) | numbers[1]);
}

void Reader::convert(Words words, Operands operands) {
  require(words.size() >= 2 && operands.size() >= 2);
  StringRef to = words[words.size() - 2], from = words.back();
  if (halfOf(to) && (from == "f32" || halfOf(from)))
    return convertPair(words, operands);
  const DType target = typeOf(to), source = typeOf(from);
  const bool toInteger = isFloat(source) && isInteger(target);
  Scalar value = read(operands[1], source);
  if (has(words, "ftz"))
    value = flushed(value);
  const Scalar isNaN = value != value;
  const auto direction = directionOf(words);
  const auto rounding = roundingToWhole(words);
  require(!has(words, "satfinite") && (rounding || !toInteger) && (!rounding || isFloat(source)));
  if (rounding)
    value = wholeNumber(value, *rounding);
  if (has(words, "sat") && isInteger(source) && isInteger(target))
    value = clamped(value, target);
  if (direction && !(isInteger(source) && bitWidth(source) <= 32 && target == DType::Float64)) {
    require(target == DType::Float32 && (isInteger(source) || source == DType::Float64));
    value = rounded("cvt", *direction, {value});
  }
  value = cast(value, target); // to an integer: the nearest that the type has, and 0 for NaN
  if (toInteger && (source == DType::Float64 || bitWidth(target) == 64))
    value = select(isNaN, constant(target, int64_t{1}) << (bitWidth(target) - 1), value);
  if (has(words, "sat") && isFloat(target))
    value = fromZeroToOne(value);
  if (has(words, "ftz"))
    value = flushed(value);
  write(operands[0], has(words, "relu") ? notNegative(value) : value);
}

std::pair<Scalar, Scalar> Reader::compared(Words words, Operands operands) {
  require(!words.empty() && operands.size() >= 3);
  StringRef word = words.front();
  const std::optional<DType> half = halfOf(words.back());
  const DType type = half ? *half : lastType(words);
  const bool isUnordered = isFloat(type) && word.size() == 3 && word.consume_back("u");
  // In the order of CompareOp; those of unsigned numbers follow.
  const int place = placeIn("eq ne lt le gt ge lo ls hi hs", word);
  const auto op = static_cast<CompareOp>(place < 6 ? place : place - 4);
  require(place >= 0);
  auto holds = [&](const Scalar &a, const Scalar &b) {
    const Scalar flag = compare(op, a, b);
    if (isUnordered)
      return flag || a != a || b != b;
    return isFloat(type) && op == CompareOp::Ne ? flag && a == a && b == b : flag;
  };
  auto combined = [&](const Scalar &flag) {
    constexpr BinaryOp kLogic[] = {BinaryOp::And, BinaryOp::Or, BinaryOp::Xor};
    const int logic = words.size() < 3 ? -1 : placeIn("and or xor", words[1]);
    require((logic >= 0) == (operands.size() == 4));
    return logic < 0 ? flag : binary(kLogic[logic], flag, read(operands[3], DType::Boolean));
  };
  if (!half) {
    const Scalar flag = holds(read(operands[1], type), read(operands[2], type));
    return {combined(flag), combined(!flag)};
  }
  const DType bits = unsignedOf(bitWidth(type));
  const Scalars pairs = values(operands.take_front(3), 1, unsignedOf(2 * bitWidth(type)));
  auto part = [&](int index, int shift) {
    return bitcast(cast(pairs[index] >> shift, bits), type);
  };
  return {combined(holds(part(0, 0), part(1, 0))),
          combined(holds(part(0, bitWidth(type)), part(1, bitWidth(type))))};
}

void Reader::compareTo(Words words, Operands operands) {
  auto [positive, other] = compared(words, operands);
  auto [first, second] = operands[0].split('|');
  write(first.trim(), positive);
  if (!second.empty())
    write(second.trim(), other);
}

/// Writes ones for what holds, of a pair in each half, and zeros otherwise.
void Reader::setTo(Words words, Operands operands) {
  if (words.size() < 3 || placeIn("u32 s32", words[words.size() - 2]) < 0)
    unknown();
  auto [positive, other] = compared(words, operands);
  auto mask = [](const Scalar &flag, int64_t ones) {
    return select(flag, uint32(ones), uint32(0));
  };
  write(operands[0], halfOf(words.back()) ? mask(positive, 0xFFFF) | mask(other, 0xFFFF0000)
                                          : mask(positive, 0xFFFFFFFF));
}

void Reader::selectOne(Words words, Operands operands) {
  require(operands.size() == 4);
  const DType type = lastType(words);
  const Scalar a = read(operands[1], type), b = read(operands[2], type);
  write(operands[0], select(read(operands[3], DType::Boolean), a, b));
}

} // namespace fairlead::dsl::ptx
