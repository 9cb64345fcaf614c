/// Mathematical functions, and operators of whole-tensor expressions.
#ifndef FAIRLEAD_DSL_MATH_H_
#define FAIRLEAD_DSL_MATH_H_

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

inline Scalar exp2(const Scalar &a) { return unary(UnaryOp::Exp2, a); }
inline Scalar log2(const Scalar &a) { return unary(UnaryOp::Log2, a); }
inline Scalar log10(const Scalar &a) { return unary(UnaryOp::Log10, a); }
inline Scalar tan(const Scalar &a) { return unary(UnaryOp::Tan, a); }
inline Scalar erf(const Scalar &a) { return unary(UnaryOp::Erf, a); }
/// In the operand's type.
inline Scalar floor(const Scalar &a) { return unary(UnaryOp::Floor, a); }
inline Scalar ceil(const Scalar &a) { return unary(UnaryOp::Ceil, a); }
inline Scalar abs(const Scalar &a) { return unary(UnaryOp::Abs, a); }
inline Scalar pow(const Scalar &a, const Scalar &b) { return binary(BinaryOp::Pow, a, b); }
/// Rounding towards minus infinity, as Python's // and % do.
inline Scalar floorDiv(const Scalar &a, const Scalar &b) {
  return binary(BinaryOp::FloorDiv, a, b);
}
inline Scalar mod(const Scalar &a, const Scalar &b) { return binary(BinaryOp::Mod, a, b); }

#define FAIRLEAD_EXPRESSION_OPERATOR(op, operation)                                                \
  inline TensorExpr operator op(const TensorExpr &a, const TensorExpr &b) {                        \
    return binary(BinaryOp::operation, a, b);                                                      \
  }                                                                                                \
  inline TensorExpr operator op(const TensorExpr &a, const Scalar &b) {                            \
    return binary(BinaryOp::operation, a, TensorExpr(b));                                          \
  }                                                                                                \
  inline TensorExpr operator op(const Scalar &a, const TensorExpr &b) {                            \
    return binary(BinaryOp::operation, TensorExpr(a), b);                                          \
  }
/// Element by element; scalars stand for every element.
FAIRLEAD_EXPRESSION_OPERATOR(+, Add)
FAIRLEAD_EXPRESSION_OPERATOR(-, Sub)
FAIRLEAD_EXPRESSION_OPERATOR(*, Mul)
FAIRLEAD_EXPRESSION_OPERATOR(/, TrueDiv)
#undef FAIRLEAD_EXPRESSION_OPERATOR

inline TensorExpr exp(const TensorExpr &a) { return unary(UnaryOp::Exp, a); }
inline TensorExpr log(const TensorExpr &a) { return unary(UnaryOp::Log, a); }
inline TensorExpr tanh(const TensorExpr &a) { return unary(UnaryOp::Tanh, a); }
inline TensorExpr sqrt(const TensorExpr &a) { return unary(UnaryOp::Sqrt, a); }
inline TensorExpr rsqrt(const TensorExpr &a) { return unary(UnaryOp::Rsqrt, a); }

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_MATH_H_
