#include "dsl/trace/HostValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// True for arithmetic, which has the same results on the host as in a thread.
bool isArithmetic(Operation *op) {
  Dialect *dialect = op->getDialect();
  return isa_and_nonnull<arith::ArithDialect, LLVM::LLVMDialect>(dialect) && !op->getNumRegions() &&
         op->getNumResults() == 1 && isPure(op);
}

} // namespace

mlir::Value HostValues::of(mlir::Value value) {
  if (mlir::Value previous = values.lookupOrNull(value))
    return previous;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner()->getParentOp() != impl.kernel->function)
      return {};
    mlir::Value operand = fromHandle(impl.kernel->operands[argument.getArgNumber()]);
    return operand.getType() == value.getType() ? operand : mlir::Value();
  }
  Operation *op = value.getDefiningOp();
  if (!isArithmetic(op))
    return {};
  for (mlir::Value operand : op->getOperands()) {
    mlir::Value onHost = of(operand);
    if (!onHost)
      return {};
    values.map(operand, onHost);
  }
  OpBuilder::InsertionGuard inKernel(impl.builder);
  impl.builder.restoreInsertionPoint(impl.kernel->hostPoint);
  impl.builder.clone(*op, values);
  return values.lookup(value);
}

} // namespace fairlead::dsl
