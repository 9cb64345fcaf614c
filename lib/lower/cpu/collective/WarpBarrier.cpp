/// nvvm.bar.warp.sync: lanes of a warp wait for each other.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "fairlead/Runtime.h"
#include "lower/cpu/Constants.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/Collective.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class WarpBarrier final : public CollectiveModelOf<NVVM::SyncWarpOp> {
public:
  Scope scope(Operation *) const final { return Scope::Warp; }
  Effects effects(Operation *) const final { return Effects::Arrives | Effects::Waits; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Emitted; }

  bool takesAll(Operation *op, std::optional<int64_t>) const final {
    return constantOf(cast<NVVM::SyncWarpOp>(op).getMask()) == -1;
  }

  /// Loops over the lanes end where it stands: there is nothing left to do.
  void emitTogether(Operation *, FissionBuilder &) const final {}

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    thread.wait(kFairleadWaitWarp, cast<NVVM::SyncWarpOp>(op).getMask(), thread.zero(),
                thread.zero(), thread.zero());
    return {};
  }
};

} // namespace

void attachWarpBarrier(MLIRContext &context) {
  NVVM::SyncWarpOp::attachInterface<WarpBarrier>(context);
}

} // namespace fairlead::lower
