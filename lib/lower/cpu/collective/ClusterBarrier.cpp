/// nvvm.cluster.arrive, nvvm.cluster.arrive.relaxed and nvvm.cluster.wait: the barrier of a cluster
/// in two steps. On a CPU a waiting thread is suspended, because the other blocks have to run
/// meanwhile.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "fairlead/Runtime.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

template <typename Op> class ClusterArrive final : public EmittedModelOf<Op> {
public:
  Value emitThread(Operation *, ThreadBuilder &thread) const final {
    Value zero = thread.zero();
    thread.wait(kFairleadWaitClusterArrive, zero, zero, zero, zero);
    return {};
  }
};

class ClusterWait final : public EmittedModelOf<NVVM::ClusterWaitOp> {
public:
  Value emitThread(Operation *, ThreadBuilder &thread) const final {
    Value zero = thread.zero();
    thread.wait(kFairleadWaitCluster, zero, zero, zero, zero);
    return {};
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
