/// Fences, groups of asynchronous operations, and hints. On a CPU operations are executed when they
/// are issued, in program order: these need no code.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "check/compile/CheckBuilder.h"
#include "fairlead/CheckCpu.h"
#include "ir/Ops.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Checks ignore the other operations.
template <typename Op> void tell(Op, CheckBuilder &) {}

void tell(NVVM::CpAsyncCommitGroupOp op, CheckBuilder &checks) {
  checks.order(op, kFairleadCheckCommit, {}, checks.i64(0));
}
void tell(NVVM::CpAsyncWaitGroupOp op, CheckBuilder &checks) {
  checks.order(op, kFairleadCheckWaitCopies, {}, checks.i64(op.getN()));
}
void tell(NVVM::CpAsyncBulkCommitGroupOp op, CheckBuilder &checks) {
  checks.order(op, kFairleadCheckCommitStores, {}, checks.i64(0));
}
void tell(NVVM::CpAsyncBulkWaitGroupOp op, CheckBuilder &checks) {
  checks.order(op, kFairleadCheckWaitStores, {}, checks.i64(op.getGroup()));
}
void tell(NVVM::WgmmaGroupSyncAlignedOp op, CheckBuilder &checks) {
  checks.order(op, kFairleadCheckCommitProducts, {}, checks.i64(0));
}
void tell(NVVM::FenceProxyOp op, CheckBuilder &checks) {
  const bool ofShared =
      op.getKind() == NVVM::ProxyKind::async || op.getKind() == NVVM::ProxyKind::async_shared;
  if (ofShared)
    checks.order(op, kFairleadCheckFence, {}, checks.i64(0));
}
void tell(NVVM::FenceMbarrierInitOp op, CheckBuilder &checks) {
  if (checks.syncs)
    checks.order(op, kFairleadCheckFenceMbarriers, {}, checks.i64(0));
}

template <typename Op> class Order final : public CpuModelOf<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
  void tellOrder(Operation *op, CheckBuilder &checks) const final { tell(cast<Op>(op), checks); }
};

template <typename... Ops> void attach(MLIRContext &context) {
  (Ops::template attachInterface<Order<Ops>>(context), ...);
}

} // namespace

void attachOrders(MLIRContext &context) {
  attach<ir::ClusterFenceOp, ir::MapAcquireOp, ir::MapPrefetchOp, NVVM::CpAsyncBulkCommitGroupOp,
         NVVM::CpAsyncBulkWaitGroupOp, NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp,
         NVVM::FenceMbarrierInitOp, NVVM::FenceProxyOp, NVVM::FenceProxyReleaseOp,
         NVVM::SetMaxRegisterOp, NVVM::WgmmaGroupSyncAlignedOp>(context);
}

} // namespace fairlead::lower
