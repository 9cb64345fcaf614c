#include "dsl/PackedElements.h"

#include <map>

namespace fairlead::dsl {
namespace {

[[noreturn]] void reject(DType type) {
  throw makeError(Diagnostic::SubByteElement, {{"type", std::string(className(type))},
                                               {"bits", std::to_string(bitWidth(type))}});
}

/// The bits of a value as an element, the lowest of a Uint8.
Scalar codeOf(const Scalar &value, DType type) {
  if (isFloat(type))
    return bitcast(cast(value, type), DType::Uint8);
  if (isFloat(value.dtype()))
    throw makeError(Diagnostic::StoreType,
                    {{"got", value.isLiteral() ? "float" : std::string(className(value.dtype()))},
                     {"expected", std::string(className(type))}});
  return cast(cast(value, type), DType::Uint8);
}

int64_t floorQuotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// Where the elements of a packed tensor are.
class Places {
public:
  /// An element: its bits begin `shift` bits into byte `byte` from the address of `base`.
  struct Place {
    std::vector<int64_t> base; ///< the coordinate along modes whose stride is not static
    int64_t byte;
    int shift;
    bool operator<(const Place &other) const {
      return std::tie(base, byte) < std::tie(other.base, other.byte);
    }
  };

  explicit Places(const Tensor &tensor)
      : tensor(tensor), shape(tensor.layout().shape()), strides(tensor.layout().stride().leaves()) {
    if (tensor.swizzle())
      reject(tensor.dtype());
  }

  Place of(int64_t index) const {
    Place place;
    int64_t elements = 0;
    std::vector<layout::Int> leaves = layout::idx2crd(layout::Int(index), shape)->leaves();
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      bool known = strides[leaf].isStatic();
      place.base.push_back(known ? 0 : leaves[leaf].value());
      elements += known ? leaves[leaf].value() * strides[leaf].value() : 0;
    }
    int64_t bits = elements * bitWidth(tensor.dtype());
    place.byte = floorQuotient(bits, 8);
    place.shift = static_cast<int>(bits - 8 * place.byte);
    return place;
  }

  /// The byte as an element.
  Tensor byteAt(const Place &place) {
    auto found = bases.find(place.base);
    if (found == bases.end()) {
      std::vector<layout::Int> leaves(place.base.begin(), place.base.end());
      bool moves = std::any_of(place.base.begin(), place.base.end(),
                               [](int64_t entry) { return entry != 0; });
      Pointer base(moves ? tensor.sliceAt(coordinate(layout::unflatten(leaves, shape))) : tensor);
      found = bases.emplace(place.base, base.recast(DType::Uint8)).first;
    }
    return Tensor((found->second + place.byte).tensor({Scalar(1)}, {Scalar(1)}));
  }

private:
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
  std::vector<layout::Int> strides;
  std::map<std::vector<int64_t>, Pointer> bases;
};

} // namespace

bool isPacked(const Tensor &tensor) {
  return bitWidth(tensor.dtype()) < 8 && tensor.dtype() != DType::Boolean &&
         tensor.space() != "rmem";
}

void requireWholeBytes(const Tensor &tensor, const layout::Int &elements) {
  // 0 is a multiple of everything.
  if (!elements.is(0) && elements.divisibility() % 8 * bitWidth(tensor.dtype()) % 8 != 0)
    reject(tensor.dtype());
}

Scalars loadPacked(const Tensor &tensor) {
  const int width = bitWidth(tensor.dtype());
  Places places(tensor);
  std::map<Places::Place, Scalar> bytes;
  auto byte = [&](const Places::Place &place) {
    auto found = bytes.find(place);
    if (found == bytes.end())
      found = bytes.emplace(place, places.byteAt(place).load({Scalar(0)})).first;
    return found->second;
  };
  Scalars elements;
  for (int64_t i = 0; i < layout::size(tensor.layout()).value(); ++i) {
    Places::Place place = places.of(i);
    Scalar code = binary(BinaryOp::Shr, byte(place), place.shift);
    if (place.shift + width > 8) {
      Places::Place next = place;
      ++next.byte;
      code = code | binary(BinaryOp::Shl, byte(next), 8 - place.shift);
    }
    elements.push_back(isFloat(tensor.dtype()) ? bitcast(code, tensor.dtype())
                                               : cast(code, tensor.dtype()));
  }
  return elements;
}

void storePacked(const Tensor &tensor, const Scalars &values) {
  const int width = bitWidth(tensor.dtype());
  Places places(tensor);
  struct Byte {
    Scalar bits = {};
    int filled = 0; ///< which bits
  };
  std::map<Places::Place, Byte> bytes;
  auto put = [&](const Places::Place &place, const Scalar &bits, int filled) {
    Byte &byte = bytes[place];
    if (byte.filled & filled)
      reject(tensor.dtype()); // two elements in one place
    byte.bits = byte.bits.defined() ? byte.bits | bits : bits;
    byte.filled |= filled;
  };
  const int ones = (1 << width) - 1;
  for (size_t i = 0; i < values.size(); ++i) {
    Places::Place place = places.of(static_cast<int64_t>(i));
    Scalar code = codeOf(values[i], tensor.dtype()) & ones;
    put(place, binary(BinaryOp::Shl, code, place.shift), (ones << place.shift) & 0xFF);
    if (place.shift + width > 8) {
      Places::Place next = place;
      ++next.byte;
      put(next, binary(BinaryOp::Shr, code, 8 - place.shift), ones >> (8 - place.shift));
    }
  }
  for (const auto &[place, byte] : bytes)
    if (byte.filled != 0xFF)
      reject(tensor.dtype());
  for (const auto &[place, byte] : bytes)
    places.byteAt(place).store({Scalar(0)}, byte.bits);
}

} // namespace fairlead::dsl
