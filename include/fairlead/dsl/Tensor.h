/// Tensors of a traced program: a pointer, an element type and a layout whose extents and strides
/// are static or not.
#ifndef FAIRLEAD_DSL_TENSOR_H_
#define FAIRLEAD_DSL_TENSOR_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fairlead/dsl/Scalar.h"
#include "fairlead/layout/Algebra.h"

namespace fairlead::dsl {

class Tensor;

/// A permutation of places: the `bits` bits from bit `base` on are xored with those `shift` further
/// up (down, for a negative shift), so that 2^base neighbours stay neighbours. It counts elements
/// from the tensor's origin, or bytes of the address.
struct Swizzle {
  int bits = 0, base = 0, shift = 0;
  bool onAddresses = false;

  explicit operator bool() const { return bits > 0; }
  friend bool operator==(const Swizzle &a, const Swizzle &b) {
    return a.bits == b.bits && a.base == b.base && a.shift == b.shift &&
           a.onAddresses == b.onAddresses;
  }
};

/// `t[i]`: read where a Scalar is wanted, written by assignment.
class FAIRLEAD_API Element {
public:
  operator Scalar() const;
  const Element &operator=(const Scalar &value) const;
  const Element &operator=(const Element &other) const { return *this = Scalar(other); }

private:
  friend class Tensor;
  Element(const Tensor &tensor, Scalars coordinate)
      : tensor_(&tensor), coordinate_(std::move(coordinate)) {}
  const Tensor *tensor_;
  Scalars coordinate_;
};

inline Scalar operator+(const Element &a, const Scalar &b) { return Scalar(a) + b; }
inline Scalar operator-(const Element &a, const Scalar &b) { return Scalar(a) - b; }
inline Scalar operator*(const Element &a, const Scalar &b) { return Scalar(a) * b; }
inline Scalar operator/(const Element &a, const Scalar &b) { return Scalar(a) / b; }
inline Scalar operator+(const Element &a, const Element &b) { return Scalar(a) + Scalar(b); }
inline Scalar operator-(const Element &a, const Element &b) { return Scalar(a) - Scalar(b); }
inline Scalar operator*(const Element &a, const Element &b) { return Scalar(a) * Scalar(b); }
inline Scalar operator/(const Element &a, const Element &b) { return Scalar(a) / Scalar(b); }

/// A whole-tensor expression, evaluated element by element where it is assigned. Operands are
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
  /// The expression with its elements in registers, where it can be.
  static TensorExpr evaluated(const TensorExpr &expression);
  /// An expression that is computed where it is assigned.
  static TensorExpr later(std::vector<TensorExpr> children,
                          std::function<Scalar(const Scalars &)> combine);

  bool isValues() const;
  /// Of an expression in registers.
  const Scalars &elements() const;
  layout::IntTuple shape() const;
  /// One element of an expression in registers. Throws fairlead::Error (IndexError, ValueIndex).
  Scalar element(const layout::Coordinate &coordinate) const;
  /// `initial op e0 op e1 ...`, in registers.
  Scalar reduce(BinaryOp op, const Scalar &initial) const;
  /// The same along the modes of which `along` is true: the other modes are left, and at least one
  /// of them. Throws fairlead::Error (ValueError, ReductionProfile) for another number of modes.
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

FAIRLEAD_API TensorExpr binary(BinaryOp op, const TensorExpr &a, const TensorExpr &b);
FAIRLEAD_API TensorExpr compare(CompareOp op, const TensorExpr &a, const TensorExpr &b);
FAIRLEAD_API TensorExpr unary(UnaryOp op, const TensorExpr &a, bool fastMath = false);
FAIRLEAD_API TensorExpr cast(const TensorExpr &a, DType type);
FAIRLEAD_API TensorExpr select(const TensorExpr &condition, const TensorExpr &a,
                               const TensorExpr &b);

/// A view of memory. Copies refer to the same elements. Extents and strides are Scalars: integer
/// literals where static.
class FAIRLEAD_API Tensor {
public:
  Tensor() = default;
  Tensor(DType dtype, const void *pointer, Scalars shape, Scalars strides,
         std::string space = "gmem", int64_t alignment = 0);

  Tensor(DType dtype, const void *pointer, const layout::Layout &layout, std::string space = "gmem",
         int64_t alignment = 0);

  DType dtype() const { return dtype_; }
  /// Top-level modes.
  int rank() const { return layout::rank(profile_); }
  /// Of the leaf `mode`, which is a mode unless shapes are nested. Negative ones count from the
  /// end. Throws fairlead::Error (IndexError) out of range.
  const Scalar &shape(int mode) const;
  const Scalar &stride(int mode) const;
  /// Of the leaves, from left to right.
  const Scalars &shape() const { return shape_; }
  const Scalars &strides() const { return strides_; }
  layout::Layout layout() const;
  /// The same layout and element type elsewhere, with other leaves: as many as there are. `origin`:
  /// of a tensor with a swizzle of elements.
  Tensor rebuilt(const void *pointer, Scalars shape, Scalars strides,
                 const Scalar &origin = 0) const;
  /// The same memory, swizzle included, under another layout.
  Tensor withLayout(const layout::Layout &layout) const;
  /// The tensor whose elements lie where the swizzle puts them. Of elements: the one with offset i
  /// lies at swizzle(origin + i). Of addresses: at swizzle(address of i).
  Tensor swizzled(const Swizzle &swizzle, const Scalar &origin = 0) const;
  const Swizzle &swizzle() const { return swizzle_; }
  const Scalar &origin() const { return origin_; }
  /// Product of the extents.
  Scalar size() const;
  const void *pointer() const { return pointer_; }
  /// "gmem" on a GPU and for fake tensors, "generic" for CPU memory.
  const std::string &space() const { return space_; }
  /// Bytes by which the pointer is known to be divisible.
  int64_t alignment() const { return alignment_; }

  /// One coordinate per leaf or per top-level mode, or a single linear index that counts
  /// colexicographically (mode 0 fastest).
  Scalar load(const Scalars &coordinate) const;
  Scalar loadAt(const layout::Coordinate &coordinate) const;
  /// The value is converted to the element type when that loses no kind (integer to float, float to
  /// float); a float stored to integer elements throws fairlead::Error (TypeError).
  void store(const Scalars &coordinate, const Scalar &value) const;
  void storeAt(const layout::Coordinate &coordinate, const Scalar &value) const;
  /// Modes given a coordinate are dropped; the others keep their extent and stride.
  Tensor slice(const std::vector<std::optional<Scalar>> &coordinate) const;
  /// What the coordinate leaves open.
  Tensor sliceAt(const layout::Coordinate &coordinate) const;
  /// `t[:] = expression`. In a host program: one generated elementwise kernel on the call's device
  /// and stream. In a kernel: each thread stores every element. Extents of the operands that are
  /// not provably equal are checked when the program runs.
  void assign(const TensorExpr &expression) const;

  Element operator[](const Scalar &index) const { return Element(*this, {index}); }
  template <typename... Index> Element operator()(const Index &...index) const {
    return Element(*this, {Scalar(index)...});
  }

  /// `tensor<ptr<f32, gmem> o (4,3):(3,1)>`; what is not static prints as `?`, `?{div=4}`,
  /// `?{i64}`.
  std::string str() const;
  /// `(4,3):(3,1)`
  std::string layoutStr() const;

private:
  DType dtype_ = DType::Float32;
  const void *pointer_ = nullptr;
  Scalars shape_, strides_;     // leaves
  layout::IntTuple profile_{0}; // how they are nested; its integers mean nothing
  std::string space_ = "gmem";
  int64_t alignment_ = 0;
  Swizzle swizzle_;
  Scalar origin_ = 0; // in elements; where a swizzle counts them
};

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_TENSOR_H_
