/// Descriptions of arguments for `compile`: they hold no data.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/Signature.h"
#include "fairlead/dsl/SourceLoc.h"

namespace fairlead::dsl {

/// A symbolic extent. Copies are the same symbol: used in several places, it makes them equal.
class FAIRLEAD_API SymInt {
public:
  /// Any integer of 32 bits.
  SymInt() : SymInt(1, 32) {}
  /// Every value must be a multiple of `divisibility`; `width` is 32 or 64 bits. Throws
  /// fairlead::Error (ValueError, SymbolArgument).
  static SymInt multipleOf(int64_t divisibility, int width = 32, SourceLoc at = SourceLoc::here());
  /// Any integer of `width` bits, 32 or 64. Throws fairlead::Error (ValueError, SymbolArgument).
  static SymInt ofWidth(int width, SourceLoc at = SourceLoc::here()) {
    return multipleOf(1, width, at);
  }

private:
  SymInt(int64_t divisibility, int width);

  friend class SignatureBuilder;
  std::shared_ptr<Symbol> symbol_;
};

/// An extent or stride of a fake tensor: a number (checked at the call) or a symbol.
using Dim = std::variant<int64_t, SymInt>;

/// Describes a tensor argument; holds no data.
struct FakeTensor {
  DType dtype;
  std::vector<Dim> shape;
  std::vector<Dim> strides = {}; ///< empty: compact, in the order `order`
  int64_t alignment = 1;         ///< bytes
  /// The rank of each mode's stride, 0 the fastest, if strides are not given; empty: the last mode
  /// is the fastest.
  std::vector<int> order = {};
  AddressSpace space = AddressSpace::Global; ///< that the program sees: Global or Generic
  bool noAlias =
      false; ///< calls check that no other tensor shares its memory: TensorParam::noAlias
};
/// Describes a scalar argument.
struct FakeScalar {
  DType dtype;
};
/// Describes a stream argument; of the environment: not passed, taken from the caller's TVM FFI
/// environment.
struct FakeStream {
  bool environment = false;
};
/// Describes the address of elements, which the body takes as a Pointer.
struct FakePointer {
  DType dtype;
  int64_t alignment = 1; ///< bytes; at least an element's
};
/// Describes a tuple of integers (a shape, stride, coordinate, ...), which the body takes as a
/// layout::IntTuple: `FakeTuple{n, 4, {2, FakeScalar{i32}}}`. Numbers are part of the program;
/// symbols and scalars are passed by the call, one after the other, and called `name[0]`,
/// `name[2][1]`.
class FakeTuple {
public:
  using Leaf = std::variant<int64_t, SymInt, FakeScalar>;
  FakeTuple(int64_t number) : leaf_(number) {}
  FakeTuple(int number) : leaf_(int64_t{number}) {}
  FakeTuple(const SymInt &symbol) : leaf_(symbol) {}
  FakeTuple(const FakeScalar &scalar) : leaf_(scalar) {}
  FakeTuple(std::initializer_list<FakeTuple> modes) : leaf_(int64_t{0}), modes_(modes) {
    isTuple_ = true;
  }

  bool isTuple() const { return isTuple_; }
  const Leaf &leaf() const { return leaf_; }
  const std::vector<FakeTuple> &modes() const { return modes_; }

private:
  Leaf leaf_;
  std::vector<FakeTuple> modes_;
  bool isTuple_ = false;
};
/// Describes a layout, which the body takes as a layout::Layout: `FakeLayout{{4, n}, {n, 1}}`. The
/// call passes the numbers that are not part of the program, those of the shape first; they are
/// called `name.shape[1]`, `name.stride[0]`.
struct FakeLayout {
  FakeTuple shape, stride;
};
/// Describes an argument that is left out: the body's std::optional has no value, and the call
/// passes nothing.
struct FakeNone {};

/// A SymInt describes an integer argument that is equal to the symbol's other places.
using Fake = std::variant<FakeTensor, FakeScalar, FakeStream, FakePointer, SymInt, FakeTuple,
                          FakeNone, FakeLayout>;

/// A compact tensor whose modes run in the order of the numbers in `order`, 0 the fastest. Throws
/// fairlead::Error (ValueError, FakeExtentRange) for an alignment that is not a power of two.
FAIRLEAD_API FakeTensor fakeTensor(DType dtype, std::vector<Dim> shape, std::vector<int> order,
                                   int64_t alignment = 1, SourceLoc at = SourceLoc::here());
/// A compact row-major tensor. Throws like the other one.
inline FakeTensor fakeTensor(DType dtype, std::vector<Dim> shape, int64_t alignment = 1,
                             SourceLoc at = SourceLoc::here()) {
  return fakeTensor(dtype, std::move(shape), {}, alignment, at);
}
/// A tensor like this one: element type, extents, strides and memory space, all fixed. Throws
/// fairlead::Error (TypeError, DLPackDType).
FAIRLEAD_API FakeTensor fakeLike(const DLTensor &tensor, int64_t alignment = 1,
                                 SourceLoc at = SourceLoc::here());
/// A tensor like this one with any extents and strides, except strides of 0 and the leading mode's
/// stride, which is 1. A negative leading mode counts from the end. Default: the only mode of
/// stride 1; among several, the only one with an extent above 1. Throws fairlead::Error
/// (LeadingDimStride, LeadingDimRange, LeadingDimUnclear).
FAIRLEAD_API FakeTensor fakeDynamicLike(const DLTensor &tensor,
                                        std::optional<int> leadingMode = std::nullopt,
                                        int64_t alignment = 1, SourceLoc at = SourceLoc::here());

/// Makes a signature of argument descriptions; symbols are named n0, n1, ... by first appearance.
/// Throws fairlead::Error when the number of names differs from that of the arguments (TypeError,
/// ParameterCount), for an order that does not hold each rank once (ValueError, StrideOrder), and
/// for an alignment that is not a power of two (ValueError, FakeExtentRange).
FAIRLEAD_API Signature makeSignature(const std::string &name,
                                     const std::vector<std::string> &parameters,
                                     const std::vector<Fake> &arguments);

} // namespace fairlead::dsl
