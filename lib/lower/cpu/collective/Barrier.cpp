/// nvvm.barrier: the threads of the block, or the given number of them, wait for each other.
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

} // namespace

void attachBarrier(MLIRContext &context) { NVVM::BarrierOp::attachInterface<Barrier>(context); }

} // namespace fairlead::lower
