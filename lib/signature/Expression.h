/// Integer expressions over a signature: `ceil_div(n, 256)`, `x.stride[0]`, `int32(n * m)`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Signature.h"

namespace fairlead {

/// A tree. Integers are 64 bits and signed; division rounds down, as in Python.
struct Expression {
  enum class Kind {
    Constant,
    Symbol, ///< `index` is the symbol's
    Param,  ///< `index` is the parameter's: a scalar; in a kernel's argument list a tensor too
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    Modulo,
    CeilDivide,
    Min,
    Max,
  };
  Kind kind = Kind::Constant;
  int64_t constant = 0;
  int index = 0;
  std::vector<Expression> operands; ///< two, but for the first three kinds
  std::string text;                 ///< as written
};

/// One argument of a kernel: an expression and the type that it is passed as.
struct KernelArgument {
  Expression value;
  /// For a scalar parameter passed unchanged, its own type. For other integers, the type of their
  /// cast, or int64 without one. Unused for tensors.
  DType dtype = DType::Int64;
  bool isTensor = false;
  /// The scalar parameter whose dtype the argument has, so that a dtype variable counts; else -1.
  int scalarParam = -1;
};

/// They throw fairlead::Error (LaunchText) with the place marked. For an unknown name the error
/// lists the names of the signature. Constant subexpressions are folded. `what` describes the text
/// in errors ("grid of the launch of `f`").
Expression parseExpression(std::string_view text, const Signature &signature,
                           const std::string &what);
KernelArgument parseKernelArgument(std::string_view text, const Signature &signature,
                                   const std::string &what);

} // namespace fairlead
