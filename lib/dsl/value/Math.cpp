/// Unary operations and math functions on scalars.
#include "dsl/trace/Builder.h"
#include "dsl/value/NarrowFloat.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

struct UnaryInfo {
  const char *name;
  bool floatOnly; // integers become Float32 first
};

constexpr UnaryInfo kUnary[] = {{"-", false},     {"~", false},   {"not", false},  {"abs", false},
                                {"exp", true},    {"exp2", true}, {"log", true},   {"log2", true},
                                {"log10", true},  {"sin", true},  {"cos", true},   {"tan", true},
                                {"tanh", true},   {"sqrt", true}, {"rsqrt", true}, {"erf", true},
                                {"floor", false}, {"ceil", false}};

template <typename Op>
mlir::Value math(Program::Impl &impl, mlir::Value x, arith::FastMathFlags flags) {
  return Op::create(impl.builder, impl.builder.getUnknownLoc(), x, flags);
}

mlir::Value emitFloat(Program::Impl &impl, UnaryOp op, mlir::Value x, arith::FastMathFlags flags) {
  switch (op) {
  case UnaryOp::Neg:
    return math<arith::NegFOp>(impl, x, flags);
  case UnaryOp::Abs:
    return math<math::AbsFOp>(impl, x, flags);
  case UnaryOp::Exp:
    return math<math::ExpOp>(impl, x, flags);
  case UnaryOp::Exp2:
    return math<math::Exp2Op>(impl, x, flags);
  case UnaryOp::Log:
    return math<math::LogOp>(impl, x, flags);
  case UnaryOp::Log2:
    return math<math::Log2Op>(impl, x, flags);
  case UnaryOp::Log10:
    return math<math::Log10Op>(impl, x, flags);
  case UnaryOp::Sin:
    return math<math::SinOp>(impl, x, flags);
  case UnaryOp::Cos:
    return math<math::CosOp>(impl, x, flags);
  case UnaryOp::Tan:
    return math<math::TanOp>(impl, x, flags);
  case UnaryOp::Tanh:
    return math<math::TanhOp>(impl, x, flags);
  case UnaryOp::Sqrt:
    return math<math::SqrtOp>(impl, x, flags);
  case UnaryOp::Rsqrt:
    return math<math::RsqrtOp>(impl, x, flags);
  case UnaryOp::Erf:
    return math<math::ErfOp>(impl, x, flags);
  case UnaryOp::Floor:
    return math<math::FloorOp>(impl, x, flags);
  case UnaryOp::Ceil:
    return math<math::CeilOp>(impl, x, flags);
  default:
    return {};
  }
}

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
  mlir::Value result =
      isFloat(type) ? emitFloat(impl, op, x, flags) : emitInteger(impl, op, x, type);
  if (!result)
    throw makeError(Diagnostic::OperatorOperand,
                    {{"operator", info.name}, {"operand", std::string(className(type))}});
  if (isNarrowFloat(type))
    return wrap(type, emitToNarrow(impl, result, type));
  return wrap(type, result, isInteger(type) && op == UnaryOp::Neg ? a.divisibility() : 1);
}

} // namespace fairlead::dsl
