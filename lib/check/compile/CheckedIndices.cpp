#include "check/compile/CheckedIndices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "check/compile/SpanChecks.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"

using namespace mlir;

namespace fairlead::check {

/// Returns the address to be accessed instead of one whose index is out of bounds. `isOnlyCheck`:
/// nothing else checks the address.
static Value insteadOf(CheckBuilder &checks, Value address, bool isOnlyCheck) {
  ImplicitLocOpBuilder &b = checks.b;
  Value instead = isOnlyCheck
                      ? callRuntime(b, runtime::FairleadCheckSink, {})
                      : callRuntime(b, runtime::FairleadCheckInstead, {lower::generic(b, address)});
  if (instead.getType() == address.getType())
    return instead;
  Value number = LLVM::PtrToIntOp::create(b, b.getI64Type(), instead);
  return LLVM::IntToPtrOp::create(b, address.getType(), number);
}

/// True if an index out of bounds is only noted, because the address itself is checked.
static bool isNote(ir::IndexOp op, const CheckBuilder &checks) {
  const Root root = Root::of(op.getAddress());
  return !checks.bounds && (root.kind == Root::Kind::Parameter || root.kind == Root::Kind::Shared);
}

/// Lowers to the address if all indices are in bounds, or otherwise to a replacement address.
static void lower(ir::IndexOp op, CheckBuilder &checks) {
  ImplicitLocOpBuilder &b = checks.b;
  Value inside, address = op.getAddress();
  ArrayRef<int32_t> modes = op.getModes();
  for (size_t i = 0; i < modes.size(); ++i) {
    Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, op.getBounds()[2 * i],
                                        op.getBounds()[2 * i + 1]);
    inside = inside ? Value(arith::AndIOp::create(b, inside, below)) : below;
  }
  if (inside) {
    auto branch = scf::IfOp::create(b, TypeRange{address.getType()}, inside,
                                    /*withElseRegion=*/true);
    branch->setAttr(kInsideAttribute, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(b, address);
    b.setInsertionPointToEnd(branch.elseBlock());
    Value site = checks.siteOf(op, {}, op.getTensor(), stringifyMemoryKind(op.getMemory())),
          thread = lower::linearThread(b);
    const bool note = isNote(op, checks);
    for (size_t i = 0; i < modes.size(); ++i)
      callRuntime(b, runtime::FairleadCheckIndex,
                  {site, thread, lower::i32Constant(b, note ? ~modes[i] : modes[i]),
                   op.getBounds()[2 * i], op.getBounds()[2 * i + 1]});
    scf::YieldOp::create(b, note ? address : insteadOf(checks, address, op.getWhole()));
    address = branch.getResult(0);
  }
  op->getResult(0).replaceAllUsesWith(address);
  op->erase();
}

void lowerNotes(CheckBuilder &checks, ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (auto index = dyn_cast<ir::IndexOp>(op)) {
      checks.b.setLoc(op->getLoc());
      checks.b.setInsertionPoint(op);
      lower(index, checks);
    } else if (isa<ir::TensorOp>(op)) {
      op->erase(); // the runtime knows the tensors of the call
    }
}

} // namespace fairlead::check
