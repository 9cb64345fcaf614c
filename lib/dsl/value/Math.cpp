/// Unary operations and math functions on scalars.
#include "dsl/trace/Builder.h"
#include "dsl/value/NarrowFloat.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

template <typename Op>
mlir::Value math(Program::Impl &impl, mlir::Value x, arith::FastMathFlags flags) {
  return Op::create(impl.builder, impl.builder.getUnknownLoc(), x, flags);
}

struct UnaryInfo {
  const char *name;
  bool floatOnly; ///< integers become Float32 first
  /// Of floats; null for operations of integers alone.
  mlir::Value (*emitFloat)(Program::Impl &impl, mlir::Value x, arith::FastMathFlags flags);
};

constexpr UnaryInfo kUnary[] = {{"-", false, math<arith::NegFOp>},
                                {"~", false, nullptr},
                                {"not", false, nullptr},
                                {"abs", false, math<math::AbsFOp>},
                                {"exp", true, math<math::ExpOp>},
                                {"exp2", true, math<math::Exp2Op>},
                                {"log", true, math<math::LogOp>},
                                {"log2", true, math<math::Log2Op>},
                                {"log10", true, math<math::Log10Op>},
                                {"sin", true, math<math::SinOp>},
                                {"cos", true, math<math::CosOp>},
                                {"tan", true, math<math::TanOp>},
                                {"tanh", true, math<math::TanhOp>},
                                {"sqrt", true, math<math::SqrtOp>},
                                {"rsqrt", true, math<math::RsqrtOp>},
                                {"erf", true, math<math::ErfOp>},
                                {"floor", false, math<math::FloorOp>},
                                {"ceil", false, math<math::CeilOp>}};

mlir::Value emitInteger(Program::Impl &impl, UnaryOp op, mlir::Value x, DType type) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  switch (op) {
  case UnaryOp::Neg:
    return b.createOrFold<arith::SubIOp>(loc, emitIntConstant(impl, type, 0), x);
  case UnaryOp::Invert:
    return b.createOrFold<arith::XOrIOp>(loc, x, emitIntConstant(impl, type, -1));
  case UnaryOp::Abs:
    if (!isSigned(type))
      return x;
    // math.absi has no lowering to GPUs for integers below 32 bits.
    return b.createOrFold<arith::MaxSIOp>(
        loc, x, b.createOrFold<arith::SubIOp>(loc, emitIntConstant(impl, type, 0), x));
  case UnaryOp::Floor:
  case UnaryOp::Ceil:
    return x;
  default:
    return {};
  }
}

} // namespace

Scalar unary(UnaryOp op, const Scalar &a, bool fastMath) {
  Program::Impl &impl = currentImpl("arithmetic on a traced value");
  if (op == UnaryOp::Not) {
    mlir::Value flag = emitAs(impl, a, DType::Boolean);
    return wrap(DType::Boolean,
                impl.builder.createOrFold<arith::XOrIOp>(impl.builder.getUnknownLoc(), flag,
                                                         emitIntConstant(impl, DType::Boolean, 1)));
  }
  const UnaryInfo &info = kUnary[static_cast<int>(op)];
  DType type = a.dtype();
  if (info.floatOnly && !isFloat(type))
    type = DType::Float32;
  if (type == DType::Boolean && op != UnaryOp::Invert)
    type = DType::Int32;
  mlir::Value x = emitAs(impl, a, type);
  if (isNarrowFloat(type))
    x = emitFromNarrow(impl, x, type);
  auto flags = fastMath ? arith::FastMathFlags::fast : arith::FastMathFlags::none;
  mlir::Value result = !isFloat(type)   ? emitInteger(impl, op, x, type)
                       : info.emitFloat ? info.emitFloat(impl, x, flags)
                                        : mlir::Value();
  if (!result)
    throw makeError(Diagnostic::OperatorOperand,
                    {{"operator", info.name}, {"operand", std::string(className(type))}});
  if (isNarrowFloat(type))
    return wrap(type, emitToNarrow(impl, result, type));
  return wrap(type, result, isInteger(type) && op == UnaryOp::Neg ? a.divisibility() : 1);
}

Scalar publishedAbs(const Scalar &a) {
  if (isFloat(a.dtype()) || isSigned(a.dtype()) || a.dtype() == DType::Boolean)
    return unary(UnaryOp::Abs, a);
  Scalar signBit = binary(BinaryOp::Shr, a, bitWidth(a.dtype()) - 1);
  return select(compare(CompareOp::Ne, signBit, 0), unary(UnaryOp::Neg, a), a);
}

} // namespace fairlead::dsl
