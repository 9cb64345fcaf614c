/// Builds inline PTX for operations without an LLVM intrinsic.
#pragma once

#include <string>

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// One instruction, or a few, as inline PTX. Operands are numbered after the results.
class Assembly {
public:
  explicit Assembly(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  /// Add an operand; pointers become numbers. Returns its placeholder, `$3`.
  std::string operand(mlir::Value value);
  /// Add a result. Returns its placeholder.
  std::string result(mlir::Type type);
  /// Make result number `index` a register that holds `value` before. All results come first.
  void initial(mlir::Value value, size_t index);

  /// Emit the instructions. Returns the results.
  mlir::SmallVector<mlir::Value> emit(const std::string &text);

private:
  void add(const std::string &constraint);

  mlir::ImplicitLocOpBuilder &b;
  mlir::SmallVector<mlir::Value> operands;
  mlir::SmallVector<mlir::Type> results;
  std::string constraints;
  size_t places = 0;
};

/// "$1, $2"
std::string joined(const mlir::SmallVector<std::string> &parts);

/// The instruction of an operation that is ir::IssuedByOneLane, without `;` at its end: by the
/// threads that the program has chosen, as an election would wait for the others, or by an elected
/// lane. The other lanes compute its operands, too: in a branch the assembler may put instructions
/// that not all threads come to.
std::string byOne(mlir::Operation *op, const std::string &instruction);

/// Hand an operation of one of these classes to `lower`, and erase it; return false for others.
template <typename... Ops, typename Lower> bool lowerOneOf(mlir::Operation *op, Lower lower) {
  auto lowerIf = [&]<typename Op>() {
    auto matched = mlir::dyn_cast<Op>(op);
    if (matched) {
      lower(matched);
      op->erase();
    }
    return bool(matched);
  };
  return (lowerIf.template operator()<Ops>() || ...);
}

} // namespace fairlead::lower
