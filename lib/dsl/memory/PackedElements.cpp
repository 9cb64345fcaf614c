#include "dsl/memory/ElementAccess.h"

#include <map>
#include <optional>

namespace fairlead::dsl {
namespace {

[[noreturn]] void reject(DType type) {
  throw makeError(Diagnostic::SubByteElement, {{"type", std::string(className(type))},
                                               {"bits", std::to_string(bitWidth(type))}});
}

/// Returns the bits of a value as an element, in the lowest bits of a Uint8.
Scalar codeOf(const Scalar &value, DType type) {
  if (isFloat(type))
    return bitcast(cast(value, type), DType::Uint8);
  requireStorable(value, type);
  return cast(cast(value, type), DType::Uint8);
}

/// True if elements lie as a layout says. A swizzle of the pointer's addresses moves whole bytes.
bool isPlain(const Tensor &tensor) { return tensor.composed().isLayout(); }

int64_t floorQuotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// Finds the elements of a packed tensor in its bytes.
class ByteOffsets {
public:
  /// An element: its bits begin `shift` bits into byte `byte` from the address of `base`.
  struct Offset {
    std::vector<int64_t> base; ///< the coordinate along modes whose stride is not static
    int64_t byte;
    int shift;
    bool operator<(const Offset &other) const {
      return std::tie(base, byte) < std::tie(other.base, other.byte);
    }
  };

  explicit ByteOffsets(const Tensor &tensor)
      : tensor(tensor), shape(tensor.layout().shape()), staticPart(knownPart(tensor.layout())) {
    if (!isPlain(tensor))
      reject(tensor.dtype());
  }

  Offset of(int64_t index) const {
    Offset offset;
    layout::IntTuple coordinate = *layout::idx2crd(layout::Int(index), shape);
    std::vector<layout::Int> entries = coordinate.leaves(),
                             strides = tensor.layout().stride().leaves();
    for (size_t leaf = 0; leaf < entries.size(); ++leaf)
      offset.base.push_back(strides[leaf].isStatic() ? 0 : entries[leaf].value());
    int64_t bits = layout::crd2idx(coordinate, staticPart)->value() * bitWidth(tensor.dtype());
    offset.byte = floorQuotient(bits, 8);
    offset.shift = static_cast<int>(bits - 8 * offset.byte);
    return offset;
  }

  /// Returns the byte as a tensor of one element.
  Tensor byteAt(const Offset &offset) {
    auto cached = bases.find(offset.base);
    if (cached == bases.end()) {
      std::vector<layout::Int> leaves(offset.base.begin(), offset.base.end());
      bool moves = std::any_of(offset.base.begin(), offset.base.end(),
                               [](int64_t entry) { return entry != 0; });
      Pointer base(moves ? tensor.sliceAt(coordinate(layout::unflatten(leaves, shape))) : tensor);
      cached = bases.emplace(offset.base, base.recast(DType::Uint8)).first;
    }
    return Tensor((cached->second + offset.byte).tensor({Scalar(1)}, {Scalar(1)}));
  }

private:
  /// Returns the layout with its dynamic strides set to 0: the offsets that tracing knows.
  static layout::Layout knownPart(const layout::Layout &layout) {
    std::vector<layout::Int> strides = layout.stride().leaves();
    for (layout::Int &stride : strides)
      stride = stride.isStatic() ? stride : layout::Int(0);
    return *layout::Layout::make(layout.shape(), layout::unflatten(strides, layout.shape()));
  }
  static layout::Coordinate coordinate(const layout::IntTuple &tuple) {
    if (tuple.isLeaf())
      return tuple.leaf();
    std::vector<layout::Coordinate> modes;
    for (const layout::IntTuple &mode : tuple.modes())
      modes.push_back(coordinate(mode));
    return layout::Coordinate(std::move(modes));
  }

  const Tensor &tensor;
  layout::IntTuple shape;
  layout::Layout staticPart;
  std::map<std::vector<int64_t>, Pointer> bases;
};

/// The byte an element begins in and, if it may extend into it, the next byte: together a Uint16
/// with the element `shift` bits above its lowest bit.
class Holder {
public:
  Holder(const Tensor &tensor, const Scalar &offset) : width(bitWidth(tensor.dtype())) {
    if (!isPlain(tensor))
      reject(tensor.dtype());
    Scalar bits = offset * width;
    shift = cast(bits & 7, DType::Uint16);
    Pointer bytes = Pointer(tensor).recast(DType::Uint8);
    first = bytes + binary(BinaryOp::Shr, bits, 3);
    // If the element ends in its first byte, both are that byte: no access goes past the element.
    if (8 % width != 0)
      second = bytes + binary(BinaryOp::Shr, bits + (width - 1), 3);
  }

  Scalar load() const {
    Scalar low = cast(first.load(), DType::Uint16);
    if (!second)
      return low;
    return low | binary(BinaryOp::Shl, cast(second->load(), DType::Uint16), Scalar(8));
  }
  void store(const Scalar &bits) const {
    if (second) // first, for where it is the same byte
      second->store(cast(binary(BinaryOp::Shr, bits, Scalar(8)), DType::Uint8));
    first.store(cast(bits, DType::Uint8));
  }

  Scalar shift;

private:
  int width;
  Pointer first;
  std::optional<Pointer> second;
};

/// True if no other thread writes bits of the same bytes: those of registers, and of tensors that a
/// host function reads.
bool writesAlone(const Tensor &tensor) {
  Program *program = Program::current();
  return tensor.space() == AddressSpace::Register ||
         (program && !program->inKernel() && program->hostReads());
}

} // namespace

bool isPacked(const Pointer &pointer) {
  return bitWidth(pointer.dtype()) < 8 && pointer.dtype() != DType::Boolean &&
         (pointer.space() != AddressSpace::Register || pointer.packsRegisters());
}
bool isPacked(const Tensor &tensor) { return isPacked(tensor.pointer()); }

void requireWholeBytes(const Pointer &pointer, const layout::Int &elements) {
  // 0 is a multiple of everything.
  if (!elements.is(0) && elements.divisibility() % 8 * bitWidth(pointer.dtype()) % 8 != 0)
    reject(pointer.dtype());
}

Scalars loadPacked(const Tensor &tensor) {
  const int width = bitWidth(tensor.dtype());
  ByteOffsets offsets(tensor);
  std::map<ByteOffsets::Offset, Scalar> bytes;
  auto byte = [&](const ByteOffsets::Offset &offset) {
    auto entry = bytes.find(offset);
    if (entry == bytes.end())
      entry = bytes.emplace(offset, offsets.byteAt(offset).load({Scalar(0)})).first;
    return entry->second;
  };
  Scalars elements;
  for (int64_t i = 0; i < layout::size(tensor.layout()).value(); ++i) {
    ByteOffsets::Offset offset = offsets.of(i);
    Scalar code = binary(BinaryOp::Shr, byte(offset), offset.shift);
    if (offset.shift + width > 8) {
      ByteOffsets::Offset next = offset;
      ++next.byte;
      code = code | binary(BinaryOp::Shl, byte(next), 8 - offset.shift);
    }
    elements.push_back(isFloat(tensor.dtype()) ? bitcast(code, tensor.dtype())
                                               : cast(code, tensor.dtype()));
  }
  return elements;
}

void storePacked(const Tensor &tensor, const Scalars &values) {
  const int width = bitWidth(tensor.dtype());
  ByteOffsets offsets(tensor);
  struct Byte {
    Scalar bits = {};
    int filled = 0; ///< which bits
  };
  std::map<ByteOffsets::Offset, Byte> bytes;
  auto put = [&](const ByteOffsets::Offset &offset, const Scalar &bits, int filled) {
    Byte &byte = bytes[offset];
    if (byte.filled & filled)
      reject(tensor.dtype()); // two elements in one offset
    byte.bits = byte.bits.defined() ? byte.bits | bits : bits;
    byte.filled |= filled;
  };
  const int ones = (1 << width) - 1;
  for (size_t i = 0; i < values.size(); ++i) {
    ByteOffsets::Offset offset = offsets.of(static_cast<int64_t>(i));
    Scalar code = codeOf(values[i], tensor.dtype()) & ones;
    put(offset, binary(BinaryOp::Shl, code, offset.shift), (ones << offset.shift) & 0xFF);
    if (offset.shift + width > 8) {
      ByteOffsets::Offset next = offset;
      ++next.byte;
      put(next, binary(BinaryOp::Shr, code, 8 - offset.shift), ones >> (8 - offset.shift));
    }
  }
  bool alone = writesAlone(tensor);
  for (const auto &[offset, byte] : bytes)
    if (byte.filled != 0xFF && !alone)
      reject(tensor.dtype());
  for (const auto &[offset, byte] : bytes) {
    Tensor memory = offsets.byteAt(offset);
    Scalar bits = byte.bits;
    if (byte.filled != 0xFF)
      bits = bits | (memory.load({Scalar(0)}) & (byte.filled ^ 0xFF));
    memory.store({Scalar(0)}, bits);
  }
}

Scalar loadPackedAt(const Tensor &tensor, const Scalar &offset) {
  Holder holder(tensor, offset);
  Scalar code = cast(binary(BinaryOp::Shr, holder.load(), holder.shift), DType::Uint8);
  return isFloat(tensor.dtype()) ? bitcast(code, tensor.dtype()) : cast(code, tensor.dtype());
}

void storePackedAt(const Tensor &tensor, const Scalar &offset, const Scalar &value) {
  if (!writesAlone(tensor))
    reject(tensor.dtype());
  Holder holder(tensor, offset);
  Scalar ones = constant(DType::Uint16, int64_t((1 << bitWidth(tensor.dtype())) - 1));
  Scalar code = cast(codeOf(value, tensor.dtype()), DType::Uint16) & ones;
  Scalar others = ~binary(BinaryOp::Shl, ones, holder.shift);
  holder.store((holder.load() & others) | binary(BinaryOp::Shl, code, holder.shift));
}

} // namespace fairlead::dsl
