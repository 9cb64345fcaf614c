/// nvvm.barrier: the threads of the block, or the given number of them, wait for each other.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "fairlead/Runtime.h"
#include "lower/common/PlainOps.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class Barrier final : public CpuModelOf<NVVM::BarrierOp> {
public:
  /// Barriers that reduce as well have results.
  CpuForm cpuForm(Operation *op) const final {
    return op->getNumResults() ? CpuForm::None : CpuForm::Emitted;
  }

  /// Loops over the threads already end at the barrier: there is nothing to emit.
  void emitTogether(Operation *, FissionBuilder &) const final {}

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    auto barrier = cast<NVVM::BarrierOp>(op);
    Value id = barrier.getBarrierId(), number = barrier.getNumberOfThreads();
    thread.wait(kFairleadWaitBarrier, thread.zero(), thread.zero(), id ? id : thread.zero(),
                number ? number : thread.zero());
    return {};
  }
};

// nvvm.bar.warp.sync: lanes of a warp wait for each other.

class WarpBarrier final : public EmittedModelOf<NVVM::SyncWarpOp> {
public:
  /// Loops over the lanes already end at the barrier: there is nothing to emit.
  void emitTogether(Operation *, FissionBuilder &) const final {}

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    thread.wait(kFairleadWaitWarp, cast<NVVM::SyncWarpOp>(op).getMask(), thread.zero(),
                thread.zero(), thread.zero());
    return {};
  }
};

// nvvm.cluster.arrive, nvvm.cluster.arrive.relaxed and nvvm.cluster.wait: the barrier of a cluster
// in two steps. On a CPU a waiting thread is suspended, because the other blocks have to run
// meanwhile.

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

void attachBarrier(MLIRContext &context) {
  NVVM::BarrierOp::attachInterface<Barrier>(context);
  NVVM::SyncWarpOp::attachInterface<WarpBarrier>(context);
  NVVM::ClusterArriveOp::attachInterface<ClusterArrive<NVVM::ClusterArriveOp>>(context);
  NVVM::ClusterArriveRelaxedOp::attachInterface<ClusterArrive<NVVM::ClusterArriveRelaxedOp>>(
      context);
  NVVM::ClusterWaitOp::attachInterface<ClusterWait>(context);
}

} // namespace fairlead::lower
