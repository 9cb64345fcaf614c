/// Fences, groups of asynchronous operations, and hints. On a CPU operations are done when they are
/// issued, in the order of the program: there is nothing left to do.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "ir/Ops.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

template <typename Op> class Order final : public CpuModelOf<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
};

template <typename... Ops> void attach(MLIRContext &context) {
  (Ops::template attachInterface<Order<Ops>>(context), ...);
}

} // namespace

void attachOrders(MLIRContext &context) {
  attach<ir::ClusterFenceOp, ir::MapAcquireOp, ir::MapPrefetchOp, NVVM::CpAsyncBulkCommitGroupOp,
         NVVM::CpAsyncBulkWaitGroupOp, NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp,
         NVVM::FenceMbarrierInitOp, NVVM::FenceProxyOp, NVVM::FenceProxyReleaseOp,
         NVVM::SetMaxRegisterOp, NVVM::WgmmaFenceAlignedOp, NVVM::WgmmaGroupSyncAlignedOp,
         NVVM::WgmmaWaitGroupSyncOp>(context);
}

} // namespace fairlead::lower
