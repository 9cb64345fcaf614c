/// nvvm.cluster.arrive, nvvm.cluster.arrive.relaxed and nvvm.cluster.wait: the barrier of a cluster
/// in two steps. On a CPU, where every block is a cluster of its own, waiting is a barrier of the
/// block.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "lower/cpu/collective/Collective.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

template <typename Op> class ClusterArrive final : public CollectiveModelOf<Op> {
public:
  Scope scope(Operation *) const final { return Scope::Cluster; }
  Effects effects(Operation *) const final { return Effects::Arrives; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
};

class ClusterWait final : public CollectiveModelOf<NVVM::ClusterWaitOp> {
public:
  Scope scope(Operation *) const final { return Scope::Cluster; }
  Effects effects(Operation *) const final { return Effects::Waits; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    NVVM::BarrierOp::create(b);
    op->erase();
  }
};

} // namespace

void attachClusterBarrier(MLIRContext &context) {
  NVVM::ClusterArriveOp::attachInterface<ClusterArrive<NVVM::ClusterArriveOp>>(context);
  NVVM::ClusterArriveRelaxedOp::attachInterface<ClusterArrive<NVVM::ClusterArriveRelaxedOp>>(
      context);
  NVVM::ClusterWaitOp::attachInterface<ClusterWait>(context);
}

} // namespace fairlead::lower
