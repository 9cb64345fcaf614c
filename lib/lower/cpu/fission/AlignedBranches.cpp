#include "lower/cpu/CpuPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

#include "check/compile/CheckBuilder.h"
#include "check/compile/Checks.h"
#include "fairlead/CheckCpu.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/fission/Uniformity.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

Value anyLane(ImplicitLocOpBuilder &b, Value condition) {
  return NVVM::VoteSyncOp::create(
      b, b.getI1Type(), i32Constant(b, -1), condition,
      NVVM::VoteSyncKindAttr::get(b.getContext(), NVVM::VoteSyncKind::any));
}

/// Returns the first lane's value of an integer or an index.
Value ofFirstLane(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType(), wide = b.getI64Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type,
                                      ofFirstLane(b, arith::IndexCastOp::create(b, wide, value)));
  if (type == wide) {
    Value by = i64Constant(b, 32);
    auto half = [&](Value part) -> Value {
      Value first = ofFirstLane(b, arith::TruncIOp::create(b, b.getI32Type(), part));
      return arith::ExtUIOp::create(b, wide, first);
    };
    Value high = arith::ShLIOp::create(b, half(arith::ShRUIOp::create(b, value, by)), by);
    return arith::OrIOp::create(b, high, half(value));
  }
  return NVVM::ShflOp::create(
      b, type, i32Constant(b, -1), value, i32Constant(b, 0), i32Constant(b, kWarpThreads - 1),
      NVVM::ShflKindAttr::get(b.getContext(), NVVM::ShflKind::idx), UnitAttr());
}

/// Returns the operands that decide if, or how often, the operation's regions run.
SmallVector<OpOperand *> deciding(Operation *op) {
  SmallVector<OpOperand *> found;
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    found.push_back(&loop.getConditionOp().getConditionMutable());
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    found.push_back(&branch.getConditionMutable());
  else if (isa<scf::ForOp>(op)) // lower and upper bound, step
    for (OpOperand &operand : op->getOpOperands().take_front(3))
      found.push_back(&operand);
  return found;
}

/// Reports to the runtime the lanes whose own value differs from the one that counts for all of
/// them. `work`: an operation of the whole warp inside of the branch or loop.
void tellDisagreement(ImplicitLocOpBuilder &b, Value laneValue, Value ofAll, Operation *branch,
                      Operation *work) {
  check::CheckBuilder checks(branch->getParentOfType<gpu::GPUFuncOp>(), {});
  Value differs = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, laneValue, ofAll);
  auto report = scf::IfOp::create(b, differs, /*withElseRegion=*/false);
  checks.b.setLoc(branch->getLoc());
  checks.b.setInsertionPointToStart(report.thenBlock());
  Value site = checks.siteOf(work, {}, cast<ir::CollectiveOp>(work).getTitle());
  callRuntime(checks.b, runtime::FairleadCheckDisagrees,
              {site, checks.siteOf(branch, {}), linearThread(checks.b)});
}

/// Makes a value that decides about a branch or loop the same in all lanes. `work` as above.
bool align(OpOperand &operand, Operation *branch, Operation *work) {
  Value value = operand.get();
  Type type = value.getType();
  ImplicitLocOpBuilder b(operand.getOwner()->getLoc(), operand.getOwner());
  if (type.isInteger(1))
    operand.set(anyLane(b, value));
  else if (type.isIndex() || type.isInteger(32) || type.isInteger(64))
    operand.set(ofFirstLane(b, value));
  else
    return false;
  auto kernel = branch->getParentOfType<gpu::GPUFuncOp>();
  if (check::checkFlags(kernel) & kFairleadLaunchSync)
    tellDisagreement(b, value, operand.get(), branch, work);
  return true;
}

} // namespace

void alignBranches(gpu::GPUFuncOp kernel) {
  std::optional<int64_t> threads = blockThreads(kernel);
  if (!threads || *threads % kWarpThreads)
    return;
  llvm::MapVector<Operation *, Operation *> around; // branches and loops, and an operation inside
  kernel.walk([&](ir::CollectiveOp op) {
    if (op.isAligned())
      for (Operation *outer = op->getParentOp(); outer != kernel; outer = outer->getParentOp())
        around.try_emplace(outer, op);
  });
  // Making a condition uniform may make others uniform: the analysis runs again after each change.
  for (bool changed = !around.empty(); changed;) {
    changed = false;
    Uniformity uniform(kernel);
    for (auto [op, work] : around)
      for (OpOperand *operand : deciding(op))
        if (!changed && !uniform.inWarp(operand->get()))
          changed = align(*operand, op, work);
  }
}

} // namespace fairlead::lower
