/// Extents of launches: 32 bits, whatever integers the program computes them from.
#include "dsl/LaunchExtent.h"

#include <limits>

#include "llvm/ADT/DenseMap.h"

#include "dsl/Builder.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Computes an i32 of the host program again in 64 bits, where sums and products do not wrap.
class Widener {
public:
  explicit Widener(Program::Impl &impl) : impl(impl) {}

  mlir::Value widen(mlir::Value value) {
    mlir::Value &known = done[value];
    if (!known) {
      mlir::Value made = make(value);
      done[value] = made; // the map may have moved
      return made;
    }
    return known;
  }

  /// Whether the value comes from operations that can wrap.
  static bool canWrap(mlir::Value value) {
    Operation *op = value.getDefiningOp();
    return op && (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op) ||
                  (isArithmetic(op) && llvm::any_of(op->getOperands(), canWrap)));
  }

private:
  static bool isArithmetic(Operation *op) {
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::RemSIOp,
               arith::FloorDivSIOp, arith::CeilDivSIOp, arith::MaxSIOp, arith::MinSIOp,
               arith::ShLIOp, arith::ShRSIOp, arith::AndIOp, arith::SelectOp>(op);
  }

  mlir::Value make(mlir::Value value) {
    OpBuilder &b = impl.builder;
    Operation *op = value.getDefiningOp();
    if (!op || !isArithmetic(op))
      return b.createOrFold<arith::ExtSIOp>(b.getUnknownLoc(), b.getI64Type(), value);
    SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(operand.getType().isInteger(32) ? widen(operand) : operand);
    OperationState state(b.getUnknownLoc(), op->getName(), operands, TypeRange{b.getI64Type()});
    return b.create(state)->getResult(0);
  }

  Program::Impl &impl;
  llvm::DenseMap<mlir::Value, mlir::Value> done;
};

} // namespace

mlir::Value emitExtent(Program::Impl &impl, const Scalar &extent, const std::string &kernel,
                       const std::string &what) {
  if (extent.isLiteral()) {
    int64_t number = extent.literalInt();
    if (number != static_cast<int32_t>(number))
      throw makeError(Diagnostic::LaunchExtentRange,
                      {{"what", what}, {"kernel", kernel}, {"got", std::to_string(number)}});
    return emitIntConstant(impl, DType::Int32, number);
  }
  mlir::Value narrow = emitAs(impl, extent, DType::Int32);
  OpBuilder &b = impl.builder;
  mlir::Value wide;
  if (extent.dtype() == DType::Int32 && Widener::canWrap(narrow))
    wide = Widener(impl).widen(narrow);
  else if (bitWidth(extent.dtype()) == 64 || extent.dtype() == DType::Uint32)
    wide = emitAs(impl, extent, DType::Int64);
  if (wide) {
    mlir::Value again = b.createOrFold<arith::ExtSIOp>(b.getUnknownLoc(), b.getI64Type(), narrow);
    requireEqual(impl, wrap(DType::Int64, again), wrap(DType::Int64, wide),
                 info(Diagnostic::LaunchExtentRange).kind,
                 compose(Diagnostic::LaunchExtentRange, {{"what", what}, {"kernel", kernel}}));
  }
  return narrow;
}

} // namespace fairlead::dsl
