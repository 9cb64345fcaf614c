/// nvvm.bar.warp.sync: lanes of a warp wait for each other.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "fairlead/Runtime.h"
#include "lower/common/Constants.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

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

} // namespace

void attachWarpBarrier(MLIRContext &context) {
  NVVM::SyncWarpOp::attachInterface<WarpBarrier>(context);
}

} // namespace fairlead::lower
