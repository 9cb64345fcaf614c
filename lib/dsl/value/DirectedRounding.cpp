/// Arithmetic of Float32 rounded toward zero, down or up, from operations that round to the
/// nearest.
///
/// The result that is rounded to the nearest is one of the two neighbours of the exact result. The
/// sign of their difference, computed in Float64, tells whether to return the other neighbour.
#include "dsl/trace/Builder.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Instructions.h"

namespace fairlead::dsl {
namespace {

/// Returns a number with the sign of `nearest - (a + b)`, all Float64.
Scalar sumError(const Scalar &nearest, const Scalar &a, const Scalar &b) {
  Scalar total = a + b, rest = total - a;
  Scalar error = (a - (total - rest)) + (b - rest);
  Scalar difference = nearest - total;
  return select(difference == 0.0, -error, difference);
}

/// A result rounded to the nearest, and a number with the sign of its error.
struct Nearest {
  Scalar number, error;
};

Nearest computed(std::string_view operation, const Scalars &operands) {
  auto wide = [](const Scalar &number) { return cast(number, DType::Float64); };
  const Scalar &x = operands[0];
  if (operation == "cvt" && bitWidth(x.dtype()) == 64 && isInteger(x.dtype())) {
    // Each difference is an integer of less than 53 bits.
    Scalar number = cast(x, DType::Float32), upper = wide(x >> 32) * 0x1p32;
    return {number, (wide(number) - upper) - wide(x & constant(x.dtype(), int64_t{0xFFFFFFFF}))};
  }
  const Scalar a = wide(x);
  if (operation == "cvt") {
    Scalar number = cast(x, DType::Float32);
    return {number, wide(number) - a};
  }
  if (operation == "sqrt") {
    Scalar number = unary(UnaryOp::Sqrt, x), exact = wide(number);
    return {number, exact * exact - a};
  }
  const Scalar &y = operands[1], b = wide(y);
  if (operation == "fma") {
    Scalar product = a * b, addend = wide(operands[2]);
    Scalar number = cast(product + addend, DType::Float32);
    return {number, sumError(wide(number), product, addend)};
  }
  if (operation == "mul") {
    Scalar number = x * y;
    return {number, wide(number) - a * b};
  }
  if (operation == "div") {
    Scalar number = binary(BinaryOp::TrueDiv, x, y), error = wide(number) * b - a;
    return {number, select(b < 0.0, -error, error)};
  }
  const bool isSum = operation == "add";
  Scalar number = isSum ? x + y : x - y;
  return {number, sumError(wide(number), a, isSum ? b : -b)};
}

/// Returns the number, or its neighbour if the error has the wrong sign.
Scalar moved(const Nearest &nearest, Rounding rounding) {
  const auto &[number, error] = nearest;
  Scalar bits = bitcast(number, DType::Uint32);
  Scalar isPositive = number > 0.0, isNegative = number < 0.0, below = bits - 1, above = bits + 1;
  Scalar isWrong, neighbour = below;
  switch (rounding) {
  case Rounding::Zero:
    isWrong = select(isPositive, error > 0.0, isNegative && error < 0.0);
    break;
  case Rounding::Down:
    isWrong = error > 0.0;
    neighbour = select(isPositive, below, above);
    break;
  case Rounding::Up:
    isWrong = error < 0.0;
    neighbour = select(isNegative, below, above);
  }
  return bitcast(select(isWrong, neighbour, bits), DType::Float32);
}

} // namespace

Scalar multiplyAdd(const Scalar &a, const Scalar &b, const Scalar &c, SourceLoc at) {
  AtSourceLoc placed(at);
  const DType type = promote(a, b);
  const bool isFloat = type == DType::Float32 || type == DType::Float64;
  if (!isFloat || (a.isLiteral() && b.isLiteral()) || (!c.isLiteral() && c.dtype() != type))
    return a * b + c;
  Program::Impl &impl = currentImpl("arithmetic on a traced value");
  return wrap(type, mlir::LLVM::FMAOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                              emitAs(impl, a, type), emitAs(impl, b, type),
                                              emitAs(impl, c, type)));
}

Scalar directed(std::string_view operation, Rounding rounding, const Scalars &operands,
                SourceLoc at) {
  AtSourceLoc placed(at);
  if (operation == "rcp" && operands.size() == 1)
    return moved(computed("div", {constant(DType::Float32, 1.0), operands[0]}), rounding);
  const bool takesOne = operation == "sqrt" || operation == "cvt";
  const size_t count = takesOne ? 1 : operation == "fma" ? 3 : 2;
  const bool isKnown = count != 2 || operation == "add" || operation == "sub" ||
                       operation == "mul" || operation == "div";
  if (!isKnown || operands.size() != count)
    throw makeError(Diagnostic::OperatorOperand,
                    {{"operator", "directed " + std::string(operation)},
                     {"operand", std::to_string(operands.size()) + " operands"}});
  return moved(computed(operation, operands), rounding);
}

} // namespace fairlead::dsl
