/// Mathematical functions, and operators of whole-tensor expressions.
#pragma once

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

inline Scalar exp2(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Exp2, a);
}
inline Scalar log2(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Log2, a);
}
inline Scalar log10(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Log10, a);
}
inline Scalar tan(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Tan, a);
}
inline Scalar erf(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Erf, a);
}
/// In the operand's type.
inline Scalar floor(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Floor, a);
}
inline Scalar ceil(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Ceil, a);
}
inline Scalar abs(const Scalar &a, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc place(at);
  return unary(UnaryOp::Abs, a);
}
inline Scalar pow(const Scalar &a, const Scalar &b) { return binary(BinaryOp::Pow, a, b); }
/// Rounding towards minus infinity, as Python's // and % do.
inline Scalar floorDiv(const Scalar &a, const Scalar &b) {
  return binary(BinaryOp::FloorDiv, a, b);
}
inline Scalar mod(const Scalar &a, const Scalar &b) { return binary(BinaryOp::Mod, a, b); }

namespace detail {
/// Tensors and tensor expressions. Excludes scalars, which have their own operators.
template <typename T>
using IfWhole = std::enable_if_t<std::is_same_v<T, Tensor> || std::is_same_v<T, TensorExpr>, int>;
} // namespace detail

#define FAIRLEAD_EXPRESSION_OPERATOR(op, operation)                                                \
  template <typename A, typename B, detail::IfWhole<A> = 0, detail::IfWhole<B> = 0>                \
  TensorExpr operator op(const A &a, const B &b) {                                                 \
    return binary(BinaryOp::operation, TensorExpr(a), TensorExpr(b));                              \
  }                                                                                                \
  template <typename A, detail::IfWhole<A> = 0>                                                    \
  TensorExpr operator op(const A &a, const Scalar &b) {                                            \
    return binary(BinaryOp::operation, TensorExpr(a), TensorExpr(b));                              \
  }                                                                                                \
  template <typename B, detail::IfWhole<B> = 0>                                                    \
  TensorExpr operator op(const Scalar &a, const B &b) {                                            \
    return binary(BinaryOp::operation, TensorExpr(a), TensorExpr(b));                              \
  }
/// Elementwise operators; scalars broadcast.
FAIRLEAD_EXPRESSION_OPERATOR(+, Add)
FAIRLEAD_EXPRESSION_OPERATOR(-, Sub)
FAIRLEAD_EXPRESSION_OPERATOR(*, Mul)
FAIRLEAD_EXPRESSION_OPERATOR(/, TrueDiv)
#undef FAIRLEAD_EXPRESSION_OPERATOR

#define FAIRLEAD_EXPRESSION_COMPARISON(op, operation)                                              \
  inline TensorExpr operator op(const TensorExpr &a, const TensorExpr &b) {                        \
    return compare(CompareOp::operation, a, b);                                                    \
  }                                                                                                \
  inline TensorExpr operator op(const TensorExpr &a, const Scalar &b) {                            \
    return compare(CompareOp::operation, a, TensorExpr(b));                                        \
  }
/// Booleans, for select.
FAIRLEAD_EXPRESSION_COMPARISON(==, Eq)
FAIRLEAD_EXPRESSION_COMPARISON(!=, Ne)
FAIRLEAD_EXPRESSION_COMPARISON(<, Lt)
FAIRLEAD_EXPRESSION_COMPARISON(<=, Le)
FAIRLEAD_EXPRESSION_COMPARISON(>, Gt)
FAIRLEAD_EXPRESSION_COMPARISON(>=, Ge)
#undef FAIRLEAD_EXPRESSION_COMPARISON

inline TensorExpr operator-(const TensorExpr &a) { return unary(UnaryOp::Neg, a); }
inline TensorExpr min(const TensorExpr &a, const TensorExpr &b) {
  return binary(BinaryOp::Min, a, b);
}
inline TensorExpr max(const TensorExpr &a, const TensorExpr &b) {
  return binary(BinaryOp::Max, a, b);
}
inline TensorExpr pow(const TensorExpr &a, const TensorExpr &b) {
  return binary(BinaryOp::Pow, a, b);
}
/// allOf: true if all elements are nonzero; anyOf: true if one is.
inline Scalar allOf(const TensorExpr &a) {
  return cast(a != Scalar(0), DType::Int32).reduce(BinaryOp::Min, 1) != 0;
}
inline Scalar anyOf(const TensorExpr &a) {
  return cast(a != Scalar(0), DType::Int32).reduce(BinaryOp::Max, 0) != 0;
}

inline TensorExpr exp2(const TensorExpr &a) { return unary(UnaryOp::Exp2, a); }
inline TensorExpr log2(const TensorExpr &a) { return unary(UnaryOp::Log2, a); }
inline TensorExpr log10(const TensorExpr &a) { return unary(UnaryOp::Log10, a); }
inline TensorExpr sin(const TensorExpr &a) { return unary(UnaryOp::Sin, a); }
inline TensorExpr cos(const TensorExpr &a) { return unary(UnaryOp::Cos, a); }
inline TensorExpr tan(const TensorExpr &a) { return unary(UnaryOp::Tan, a); }
inline TensorExpr erf(const TensorExpr &a) { return unary(UnaryOp::Erf, a); }
inline TensorExpr floor(const TensorExpr &a) { return unary(UnaryOp::Floor, a); }
inline TensorExpr ceil(const TensorExpr &a) { return unary(UnaryOp::Ceil, a); }
inline TensorExpr abs(const TensorExpr &a) { return unary(UnaryOp::Abs, a); }
inline TensorExpr exp(const TensorExpr &a) { return unary(UnaryOp::Exp, a); }
inline TensorExpr log(const TensorExpr &a) { return unary(UnaryOp::Log, a); }
inline TensorExpr tanh(const TensorExpr &a) { return unary(UnaryOp::Tanh, a); }
inline TensorExpr sqrt(const TensorExpr &a) { return unary(UnaryOp::Sqrt, a); }
inline TensorExpr rsqrt(const TensorExpr &a) { return unary(UnaryOp::Rsqrt, a); }

} // namespace fairlead::dsl
