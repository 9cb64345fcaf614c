/// Scalars of a traced program: numbers whose value is known only when the compiled program runs,
/// and literals that adopt the other operand's type.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "fairlead/DType.h"
#include "fairlead/Export.h"
#include "fairlead/dsl/SourceLoc.h"

namespace fairlead::dsl {

/// A number in a traced program. Either a *value* (typed, an SSA value of the program being traced)
/// or a *literal* (a C++ or Python number without a type of its own: it adopts the other operand's
/// type, or becomes Boolean, Int32 or Float32 if it must become a value). Cheap to copy. Valid
/// while its program is traced.
class FAIRLEAD_API Scalar {
public:
  Scalar() = default;
  Scalar(bool literal) : kind_(Kind::Bool), int_(literal) {}
  template <typename T,
            std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Scalar(T literal) : kind_(Kind::Int), int_(static_cast<int64_t>(literal)) {}
  template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
  Scalar(T literal) : kind_(Kind::Float), float_(literal) {}

  /// A value: `handle` is the opaque pointer of the IR value.
  static Scalar value(DType dtype, const void *handle, int64_t divisibility = 1);
  /// Returns the value with the caller's assumption that it is a multiple of `divisor`; returns a
  /// literal unchanged.
  Scalar assumed(int64_t divisor) const;

  /// Fails to compile: a run-time value cannot decide a C++ branch.
  template <typename T = void> explicit operator bool() const {
    static_assert(sizeof(T *) == 0,
                  "a Scalar is known only when the compiled program runs: write if_(condition, "
                  "[&] { ... }), ifElse or select");
    return false;
  }

  bool defined() const { return kind_ != Kind::None; }
  bool isLiteral() const {
    return kind_ == Kind::Bool || kind_ == Kind::Int || kind_ == Kind::Float;
  }
  bool isValue() const { return kind_ == Kind::Value; }
  /// The number of an integer or Boolean literal, or of a value that is a constant of the program.
  std::optional<int64_t> staticInt() const;
  /// The number of a float literal.
  double literalFloat() const { return kind_ == Kind::Float ? float_ : static_cast<double>(int_); }
  int64_t literalInt() const { return int_; }
  bool isFloatLiteral() const { return kind_ == Kind::Float; }
  bool isBoolLiteral() const { return kind_ == Kind::Bool; }
  /// The type; for a literal, the type it would become.
  DType dtype() const;
  const void *handle() const { return handle_; }
  /// Returns a number that divides every value it can take.
  int64_t divisibility() const;
  /// True if the divisibility comes from `assumed()`. For a constant it then replaces the
  /// divisibility that the value itself would imply.
  bool isAssumed() const { return assumed_; }

private:
  enum class Kind : uint8_t { None, Bool, Int, Float, Value };
  Kind kind_ = Kind::None;
  DType dtype_ = DType::Int32;
  bool assumed_ = false;
  int64_t int_ = 0; // literal, or divisibility of a value
  double float_ = 0;
  const void *handle_ = nullptr;
};

/// An operand of an operator, and its source line.
class Operand {
public:
  template <typename T, std::enable_if_t<std::is_convertible_v<T &&, Scalar> &&
                                             !std::is_same_v<std::decay_t<T>, Operand>,
                                         int> = 0>
  Operand(T &&value, SourceLoc at = SourceLoc::here()) : value_(std::forward<T>(value)), at_(at) {}

  operator const Scalar &() const { return value_; }
  SourceLoc at() const { return at_; }

private:
  Scalar value_;
  SourceLoc at_;
};

enum class BinaryOp {
  Add,
  Sub,
  Mul,
  TrueDiv,
  FloorDiv,
  TruncDiv,
  Mod,
  Rem,
  Pow,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Min,
  Max
};
enum class CompareOp { Eq, Ne, Lt, Le, Gt, Ge };
enum class UnaryOp {
  Neg,
  Invert,
  Not,
  Abs,
  Exp,
  Exp2,
  Log,
  Log2,
  Log10,
  Sin,
  Cos,
  Tan,
  Tanh,
  Sqrt,
  Rsqrt,
  Erf,
  Floor,
  Ceil
};

/// The common type of two operands: the wider of one kind; a float wins over an integer; a literal
/// adopts the other side's type unless it is a float meeting an integer (then Float32).
FAIRLEAD_API DType promote(const Scalar &a, const Scalar &b);

/// Returns the operands of an operator as published programs convert them: literals are Int32,
/// Int64 if they need it, Float32 or Boolean, and an integer beside a float that is not wider
/// counts as the float of the integer's width.
FAIRLEAD_API std::pair<Scalar, Scalar> publishedOperands(const Scalar &a, const Scalar &b);

/// Arithmetic. TrueDiv of integers is done in Float32; FloorDiv and Mod round towards minus
/// infinity (Python's rule), TruncDiv and Rem towards zero (C's rule). And, Or, Xor, Shl, Shr take
/// integers or Booleans; And/Or/Xor of Booleans stay Boolean. Throws fairlead::Error (TypeError)
/// for operands that the operation does not take.
FAIRLEAD_API Scalar binary(BinaryOp op, const Scalar &a, const Scalar &b);
/// Arithmetic of published programs, on their operands: the remainder of run-time numbers has the
/// sign of the dividend (C's rule), FloorDiv of floats rounds the quotient down, and sums,
/// differences and products of Booleans are Booleans.
FAIRLEAD_API Scalar publishedBinary(BinaryOp op, const Scalar &a, const Scalar &b);
FAIRLEAD_API Scalar compare(CompareOp op, const Scalar &a, const Scalar &b);
/// Math functions take floats (integers become Float32 first); Neg, Abs, Floor and Ceil keep
/// integers. Not is logical.
FAIRLEAD_API Scalar unary(UnaryOp op, const Scalar &a, bool fastMath = false);
/// The absolute value in published programs, which take unsigned integers for signed ones.
FAIRLEAD_API Scalar publishedAbs(const Scalar &a);
/// Conversion: float to integer truncates towards zero, narrowing integers wraps, narrowing floats
/// rounds to nearest even; to Boolean compares with zero.
FAIRLEAD_API Scalar cast(const Scalar &a, DType type);
/// Conversion in published programs: cast(), but a signed integer known only at run time keeps its
/// bits in a wider unsigned one, which gets zeros above them.
FAIRLEAD_API Scalar publishedCast(const Scalar &a, DType type);
/// `condition ? a : b` without a branch; both have one type after promotion.
FAIRLEAD_API Scalar select(const Scalar &condition, const Scalar &a, const Scalar &b);
/// Reinterprets the bits as another type of the same width, such as Float8E5M2 and Uint8. Floats of
/// 6 and 4 bits take the low bits of 8. Throws fairlead::Error (TypeError) for types of other
/// widths.
FAIRLEAD_API Scalar bitcast(const Scalar &a, DType type);
/// The number of a type that is nearest to `number`, like constant(). Narrow floats saturate at
/// their largest number.
FAIRLEAD_API double rounded(DType type, double number);
/// A constant of a given type as a value of the program.
FAIRLEAD_API Scalar constant(DType type, double number);
FAIRLEAD_API Scalar constant(DType type, int64_t number);
/// A value: literals become constants of their type.
FAIRLEAD_API Scalar materialize(const Scalar &a);

inline Scalar operator+(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::Add, a, b);
}
inline Scalar operator-(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::Sub, a, b);
}
inline Scalar operator*(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::Mul, a, b);
}
/// Divides like C++: integers truncate.
FAIRLEAD_API Scalar operator/(const Scalar &a, const Operand &b);
inline Scalar operator%(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::Rem, a, b);
}
inline Scalar operator&(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::And, a, b);
}
inline Scalar operator|(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::Or, a, b);
}
inline Scalar operator^(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::Xor, a, b);
}
inline Scalar operator<<(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::Shl, a, b);
}
inline Scalar operator>>(const Scalar &a, const Operand &b) {
  AtSourceLoc at(b.at());
  return binary(BinaryOp::Shr, a, b);
}
inline Scalar operator-(const Scalar &a) { return unary(UnaryOp::Neg, a); }
inline Scalar operator~(const Scalar &a) { return unary(UnaryOp::Invert, a); }
inline Scalar operator!(const Scalar &a) { return unary(UnaryOp::Not, a); }
/// Evaluates the left and the right side.
inline Scalar operator&&(const Scalar &a, const Scalar &b) {
  return binary(BinaryOp::And, cast(a, DType::Boolean), cast(b, DType::Boolean));
}
inline Scalar operator||(const Scalar &a, const Scalar &b) {
  return binary(BinaryOp::Or, cast(a, DType::Boolean), cast(b, DType::Boolean));
}
inline Scalar operator==(const Scalar &a, const Scalar &b) { return compare(CompareOp::Eq, a, b); }
inline Scalar operator!=(const Scalar &a, const Scalar &b) { return compare(CompareOp::Ne, a, b); }
inline Scalar operator<(const Scalar &a, const Scalar &b) { return compare(CompareOp::Lt, a, b); }
inline Scalar operator<=(const Scalar &a, const Scalar &b) { return compare(CompareOp::Le, a, b); }
inline Scalar operator>(const Scalar &a, const Scalar &b) { return compare(CompareOp::Gt, a, b); }
inline Scalar operator>=(const Scalar &a, const Scalar &b) { return compare(CompareOp::Ge, a, b); }

inline Scalar exp(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Exp, a);
}
inline Scalar log(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Log, a);
}
inline Scalar sin(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Sin, a);
}
inline Scalar cos(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Cos, a);
}
inline Scalar tanh(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Tanh, a);
}
inline Scalar sqrt(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Sqrt, a);
}
inline Scalar rsqrt(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Rsqrt, a);
}
inline Scalar min(const Scalar &a, const Scalar &b) { return binary(BinaryOp::Min, a, b); }
inline Scalar max(const Scalar &a, const Scalar &b) { return binary(BinaryOp::Max, a, b); }
/// `ceil(a / b)` of integers, b positive.
FAIRLEAD_API Scalar ceilDiv(const Scalar &a, const Scalar &b);

using Scalars = std::vector<Scalar>;

} // namespace fairlead::dsl
