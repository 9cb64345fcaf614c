/// Instructions of inline PTX on the bits of integers.
#include "dsl/ptx/Reader.h"
#include "dsl/trace/Builder.h"

namespace fairlead::dsl::ptx {
namespace {

/// Emits an operation of LLVM's on the bits of an integer.
template <typename Op, typename... Args>
Scalar emitted(DType type, const Scalar &bits, Args... arguments) {
  Program::Impl &impl = kernelImpl("inline PTX");
  mlir::Value value = emit(impl, bits);
  mlir::Location loc = impl.builder.getUnknownLoc();
  return wrap(type, Op::create(impl.builder, loc, value.getType(), value, arguments...));
}

/// Zeros above the highest one, in the number's type.
Scalar leadingZeros(const Scalar &bits) {
  return emitted<mlir::LLVM::CountLeadingZerosOp>(bits.dtype(), bits, false);
}

/// A shift's count in the type of the number; all bits are out at counts of the width and above.
Scalar countFor(const Scalar &count, DType type) {
  return cast(min(count, uint32(2 * bitWidth(type))), type);
}

/// `length` ones at the low end; a Uint32.
Scalar lowOnes(const Scalar &length, DType type) {
  return (constant(type, int64_t{1}) << countFor(length, type)) - 1;
}

/// The low 8 bits of an operand that counts bits.
Scalar lowByte(const Scalar &count) { return count & 255; }

/// `length` bits of `value` from `start` on, with the sign of a signed number above them.
Scalar extracted(const Scalar &value, const Scalar &start, const Scalar &length) {
  const DType type = value.dtype(), plain = unsignedOf(bitWidth(type));
  const Scalar width = uint32(bitWidth(type)), bits = bitcast(value, plain);
  const Scalar moved = bits >> countFor(start, plain);
  if (!isSigned(type))
    return moved & lowOnes(length, plain);
  // The sign is the field's highest bit, or the number's where the field reaches beyond it.
  const Scalar last = min(start + length - 1, width - 1);
  const Scalar sign = (bits >> countFor(last, plain)) & 1;
  const Scalar inside = width - min(start, width);
  const Scalar field = lowOnes(min(length, inside), plain), zero = constant(plain, int64_t{0});
  const Scalar ones = select(sign != 0, ~field, zero);
  return bitcast(select(length == 0, zero, (moved & field) | ones), type);
}

} // namespace

void Reader::shiftLeft(Words words, Operands operands) {
  require(operands.size() == 3);
  const Scalar value = read(operands[1], lastType(words));
  const Scalar count = read(operands[2], DType::Uint32);
  write(operands[0], value << countFor(count, value.dtype()));
}

void Reader::shiftRight(Words words, Operands operands) {
  require(operands.size() == 3);
  const Scalar value = read(operands[1], lastType(words));
  const Scalar count = read(operands[2], DType::Uint32);
  write(operands[0], value >> countFor(count, value.dtype()));
}

/// A byte of the eight of two words for each of the selector's four digits; a digit's top bit
/// spreads the byte's sign.
void Reader::permute(Words words, Operands operands) {
  require(words.size() == 1 && words[0] == "b32" && operands.size() == 4);
  const Scalars numbers = values(operands, 1, DType::Uint32);
  const Scalar both = cast(numbers[0], DType::Uint64) | (cast(numbers[1], DType::Uint64) << 32);
  Scalar result = uint32(0);
  for (int index = 0; index < 4; ++index) {
    const Scalar digit = (numbers[2] >> 4 * index) & 15;
    const Scalar shift = cast((digit & 7) * 8, DType::Uint64);
    const Scalar byte = cast(both >> shift, DType::Uint32) & 255;
    const Scalar sign = select((byte & 128) != 0, uint32(255), uint32(0));
    result = result | (select((digit & 8) != 0, sign, byte) << 8 * index);
  }
  write(operands[0], result);
}

/// `dp4a.u32.s32 d, a, b, c`: the sum of the products of four bytes and a word.
void Reader::dotOfBytes(Words words, Operands operands) {
  require(words.size() == 2 && operands.size() == 4);
  const Scalar a = read(operands[1], lastType(words.take_front()));
  const Scalar b = read(operands[2], lastType(words));
  auto byteOf = [](const Scalar &word, int index) {
    return bitcast((word << 24 - 8 * index) >> 24, DType::Int32);
  };
  Scalar sum = read(operands[3], DType::Int32);
  for (int index = 0; index < 4; ++index)
    sum = sum + byteOf(a, index) * byteOf(b, index);
  write(operands[0], sum);
}

void Reader::lop3(Words words, Operands operands) {
  int table = 0;
  require(words.size() == 1 && operands.size() == 5 && !operands[4].getAsInteger(0, table));
  const Scalars inputs = values(operands.drop_back(), 1, DType::Uint32);
  Scalar result = uint32(0);
  for (int row = 0; row < 8; ++row) {
    if (!(table >> row & 1))
      continue;
    Scalar term = uint32(-1);
    for (int index = 0; index < 3; ++index)
      term = term & (row >> (2 - index) & 1 ? inputs[index] : ~inputs[index]);
    result = result | term;
  }
  write(operands[0], result);
}

void Reader::countOnes(Words words, Operands operands) {
  require(operands.size() == 2);
  const Scalar bits = read(operands[1], lastType(words));
  write(operands[0], cast(emitted<mlir::LLVM::CtPopOp>(bits.dtype(), bits), DType::Uint32));
}

void Reader::reverse(Words words, Operands operands) {
  require(operands.size() == 2);
  const Scalar bits = read(operands[1], lastType(words));
  write(operands[0], emitted<mlir::LLVM::BitReverseOp>(bits.dtype(), bits));
}

void Reader::countZeros(Words words, Operands operands) {
  require(operands.size() == 2);
  write(operands[0], cast(leadingZeros(read(operands[1], lastType(words))), DType::Uint32));
}

/// The place of the highest one, of a negative number of its highest zero; all ones without one.
void Reader::findHighest(Words words, Operands operands) {
  const DType type = lastType(words), plain = unsignedOf(bitWidth(type));
  require(operands.size() == 2);
  const Scalar value = read(operands[1], type);
  Scalar bits = bitcast(value, plain);
  if (isSigned(type))
    bits = select(value < 0, ~bits, bits);
  const Scalar zeros = cast(leadingZeros(bits), DType::Uint32);
  const Scalar index = uint32(bitWidth(type) - 1) - zeros;
  const Scalar none = uint32(-1);
  write(operands[0], has(words, "shiftamt") ? select(index == none, none, zeros) : index);
}

void Reader::extract(Words words, Operands operands) {
  require(operands.size() == 4);
  const Scalars range = values(operands, 2, DType::Uint32);
  write(operands[0],
        extracted(read(operands[1], lastType(words)), lowByte(range[0]), lowByte(range[1])));
}

void Reader::insert(Words words, Operands operands) {
  const DType type = lastType(words);
  require(operands.size() == 5);
  const Scalar part = read(operands[1], type), base = read(operands[2], type);
  const Scalars range = values(operands, 3, DType::Uint32);
  const Scalar start = countFor(lowByte(range[0]), type);
  const Scalar mask = lowOnes(lowByte(range[1]), type) << start;
  write(operands[0], (base & ~mask) | ((part << start) & mask));
}

void Reader::shiftPair(Words words, Operands operands) {
  require(operands.size() == 4 && words.size() == 3);
  const Scalars numbers = values(operands, 1, DType::Uint32);
  const Scalar both = cast(numbers[0], DType::Uint64) | (cast(numbers[1], DType::Uint64) << 32);
  const bool clamps = has(words, "clamp");
  const Scalar count = cast(clamps ? min(numbers[2], uint32(32)) : numbers[2] & 31, DType::Uint64);
  write(operands[0], cast(words[0] == "l" ? (both << count) >> 32 : both >> count, DType::Uint32));
}

Scalar Reader::productOf24(Words words, Operands operands) {
  const DType type = lastType(words), doubled = doubleOf(type);
  require(operands.size() >= 3 && bitWidth(type) == 32);
  auto low = [&](llvm::StringRef name) { return cast((read(name, type) << 8) >> 8, doubled); };
  const Scalar product = low(operands[1]) * low(operands[2]);
  return cast(has(words, "hi") ? product >> 16 : product, type);
}

void Reader::mul24(Words words, Operands operands) {
  write(operands.front(), productOf24(words, operands));
}

void Reader::mad24(Words words, Operands operands) {
  require(operands.size() == 4 && !has(words, "sat"));
  const Scalar partial = productOf24(words, operands);
  write(operands[0], partial + read(operands[3], partial.dtype()));
}

} // namespace fairlead::dsl::ptx
