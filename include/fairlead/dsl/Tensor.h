/// Tensors of a traced program: an address, or a coordinate, and a layout whose extents and strides
/// are static or not.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/dsl/Pointer.h"

namespace fairlead::dsl {

class Tensor;

/// `t[i]`: converts to a Scalar by a read, and an assignment writes it. Do not keep it: `auto v =
/// t[i]` would read again at each use of `v`, so such uses do not compile. Write `Scalar v =
/// t[i]`.
class FAIRLEAD_API Element {
public:
  operator Scalar() const &&;
  operator Scalar() const & = delete; // keep a Scalar, not the element
  const Element &operator=(const Operand &value) &&;
  const Element &operator=(Element &&other) && {
    return std::move(*this) = Scalar(std::move(other));
  }

private:
  friend class Tensor;
  Element(const Tensor &tensor, Scalars coordinate, SourceLoc at)
      : tensor_(&tensor), coordinate_(std::move(coordinate)), at_(at) {}
  const Tensor *tensor_;
  Scalars coordinate_;
  SourceLoc at_;
};

inline Scalar operator+(Element &&a, const Operand &b) { return Scalar(std::move(a)) + b; }
inline Scalar operator-(Element &&a, const Operand &b) { return Scalar(std::move(a)) - b; }
inline Scalar operator*(Element &&a, const Operand &b) { return Scalar(std::move(a)) * b; }
inline Scalar operator/(Element &&a, const Operand &b) { return Scalar(std::move(a)) / b; }

/// A whole-tensor expression, evaluated element by element when it is assigned. Operands are
/// tensors of one shape, and scalars, which broadcast.
class FAIRLEAD_API TensorExpr {
public:
  struct Node;
  TensorExpr(const Tensor &whole);
  TensorExpr(const Scalar &scalar);

  /// The elements as they are now. In a kernel those of a small static tensor go to registers;
  /// elsewhere they are read when the expression is assigned.
  static TensorExpr read(const Tensor &tensor);
  /// Elements in registers, mode 0 fastest.
  static TensorExpr fromValues(const layout::IntTuple &shape, Scalars elements);
  /// Returns the expression with its elements in registers, if possible.
  static TensorExpr evaluated(const TensorExpr &expression);
  /// Returns an expression that is computed when it is assigned.
  static TensorExpr later(std::vector<TensorExpr> children,
                          std::function<Scalar(const Scalars &)> combine);

  bool isValues() const;
  /// The elements of an expression in registers.
  const Scalars &elements() const;
  layout::IntTuple shape() const;
  /// One element of an expression in registers. Throws fairlead::Error (IndexError, ValueIndex).
  Scalar element(const layout::Coordinate &coordinate) const;
  /// `initial op e0 op e1 ...`, in registers.
  Scalar reduce(BinaryOp op, const Scalar &initial) const;
  /// Reduces along the modes whose `along` is true; at least one other mode must remain. Throws
  /// fairlead::Error (ValueError, ReductionProfile) for another number of modes.
  TensorExpr reduce(BinaryOp op, const Scalar &initial, const std::vector<bool> &along) const;
  /// Repeated along modes of extent 1, and along modes in front that it lacks, as NumPy does.
  /// Throws fairlead::Error (ValueError, WholeTensorShape) for a shape that it cannot be brought
  /// to.
  TensorExpr broadcastTo(const layout::IntTuple &shape) const;

  const std::shared_ptr<const Node> &node() const { return node_; }

private:
  explicit TensorExpr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// Element by element; `isPublished` for operands that are converted by publishedOperands.
FAIRLEAD_API TensorExpr binary(BinaryOp op, const TensorExpr &a, const TensorExpr &b,
                               bool isPublished = false);
FAIRLEAD_API TensorExpr compare(CompareOp op, const TensorExpr &a, const TensorExpr &b,
                                bool isPublished = false);
FAIRLEAD_API TensorExpr unary(UnaryOp op, const TensorExpr &a, bool fastMath = false);
FAIRLEAD_API TensorExpr cast(const TensorExpr &a, DType type);
FAIRLEAD_API TensorExpr select(const TensorExpr &condition, const TensorExpr &a,
                               const TensorExpr &b);

/// A layout with a start: elements of memory from a pointer on, or coordinates, which are not
/// stored, from a coordinate on. Copies refer to the same elements. Static extents and strides are
/// integer literals as Scalars.
class FAIRLEAD_API Tensor {
public:
  Tensor() = default;
  /// Elements of memory. A layout with a swizzle counts elements from the pointer.
  Tensor(const Pointer &pointer, layout::ComposedLayout layout);
  /// A tensor of coordinates: the layout's strides are steps along modes, and its values are added
  /// to `origin`.
  Tensor(layout::IntTuple origin, layout::Layout layout)
      : engine_(std::move(origin)), layout_(std::move(layout)) {}
  /// Elements of memory with a mode for each extent.
  Tensor(const Pointer &pointer, const Scalars &shape, const Scalars &strides);

  bool isCoordinates() const { return std::holds_alternative<layout::IntTuple>(engine_); }
  /// The pointer to memory; a null pointer for coordinates.
  const Pointer &pointer() const;
  /// The first coordinate of a tensor of coordinates.
  const layout::IntTuple &origin() const;

  DType dtype() const { return pointer().dtype(); }
  AddressSpace space() const { return pointer().space(); }
  /// Known divisor of the pointer in bytes.
  int64_t alignment() const { return pointer().alignment(); }
  /// False for a tensor that only has a type.
  bool hasData() const { return pointer().handle() != nullptr; }

  const layout::ComposedLayout &composed() const { return layout_; }
  /// Without swizzle and offset.
  const layout::Layout &layout() const { return layout_.outer(); }
  /// Top-level modes.
  int rank() const { return layout::rank(layout()); }
  /// The extent, or stride, of the leaf `mode`, which is a mode unless shapes are nested. Negative
  /// numbers count from the end. Throws fairlead::Error (IndexError) out of range.
  Scalar shape(int mode, SourceLoc at = SourceLoc::here()) const;
  Scalar stride(int mode, SourceLoc at = SourceLoc::here()) const;
  /// The extents, or strides, of the leaves, from left to right.
  Scalars shape() const;
  Scalars strides() const;
  /// Product of the extents; 64 bits wide if it has more than one dynamic extent.
  Scalar size() const;

  /// The run-time values of the tensor: address, origin or offset, extents, strides. The address
  /// travels as an opaque 64-bit value.
  Scalars leaves() const;
  /// Returns the tensor with other run-time values, of the same number.
  Tensor withLeaves(const Scalars &leaves) const;
  /// Returns the elements, swizzle included, under another layout.
  Tensor withLayout(const layout::Layout &layout) const;

  /// One coordinate per leaf or per top-level mode, or a single linear index that counts
  /// colexicographically (mode 0 fastest).
  Scalar load(const Scalars &coordinate, SourceLoc at = SourceLoc::here()) const;
  Scalar loadAt(const layout::Coordinate &coordinate, SourceLoc at = SourceLoc::here()) const;
  /// The value is converted to the element type when that loses no kind (integer to float, float to
  /// float); a float stored to integer elements throws fairlead::Error (TypeError).
  void store(const Scalars &coordinate, const Scalar &value,
             SourceLoc at = SourceLoc::here()) const;
  void storeAt(const layout::Coordinate &coordinate, const Scalar &value,
               SourceLoc at = SourceLoc::here()) const;
  /// The element of a tensor of coordinates. Throws fairlead::Error (IndexError) when the
  /// coordinate does not fit the shape.
  layout::IntTuple at(const layout::IntTuple &coordinate) const;
  /// Modes given a coordinate are dropped; the others keep their extent and stride.
  Tensor slice(const std::vector<std::optional<Scalar>> &coordinate,
               SourceLoc at = SourceLoc::here()) const;
  /// Returns the part of the tensor along the open entries of the coordinate.
  Tensor sliceAt(const layout::Coordinate &coordinate, SourceLoc at = SourceLoc::here()) const;
  /// `t[:] = expression`. In a host program: one generated elementwise kernel on the call's device
  /// and stream. In a kernel: each thread stores every element. Extents of the operands that are
  /// not provably equal are checked when the program runs.
  void assign(const TensorExpr &expression, SourceLoc at = SourceLoc::here()) const;

  Element operator[](const Operand &index) const { return Element(*this, {index}, index.at()); }
  template <typename... Index>
  Element operator()(const Operand &first, const Index &...index) const {
    return Element(*this, {first, Scalar(index)...}, first.at());
  }

  /// `tensor<ptr<f32, gmem> o (4,3):(3,1)>`, `tensor<(0,0) o (4,8):(1@0,1@1)>`; dynamic values
  /// print as `?`, `?{div=4}`, `?{i64}`.
  std::string str() const;
  /// `(4,3):(3,1)`
  std::string layoutStr() const { return layout().str(); }

private:
  std::variant<Pointer, layout::IntTuple> engine_;
  layout::ComposedLayout layout_{layout::Layout(layout::IntTuple(std::vector<layout::IntTuple>()))};
};

/// A tensor whose elements are coordinates.
using CoordTensor = Tensor;

} // namespace fairlead::dsl
