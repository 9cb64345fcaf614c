/// fairlead.mbarrier and nvvm.barrier.arrive: barriers of asynchronous copies, and arriving at one
/// of the block's without waiting. On a CPU they are counters in shared memory; a thread that waits
/// is suspended.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/atom/AtomOps.h"
#include "fairlead/AsyncCpu.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/Calls.h"
#include "lower/cpu/collective/Collective.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/collective/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class MbarrierModel final : public CollectiveModelOf<dsl::MbarrierOp> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *op) const final {
    return asks(op) ? Effects::Waits : Effects::Arrives;
  }
  CpuForm cpuForm(Operation *op) const final {
    return asks(op) ? CpuForm::Emitted : CpuForm::Rewritten;
  }
  /// A thread waits for others, which have to run meanwhile.
  bool takesAll(Operation *, std::optional<int64_t>) const final { return false; }

  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    StringRef what = nameOf(op);
    bool remote = what.consume_back("_remote");
    auto there = [&](Value address) { // the last operand is the block of the cluster
      return callRuntime(b, "FairleadCpuMapShared",
                         {generic(b, address), op->getOperand(op->getNumOperands() - 1)},
                         LLVM::LLVMPointerType::get(b.getContext()));
    };
    if (what == "store") {
      Value number = op->getOperand(1);
      const auto bytes = static_cast<int32_t>(number.getType().getIntOrFloatBitWidth() / 8);
      LLVM::StoreOp::create(b, number, there(op->getOperand(2)));
      callRuntime(b, "FairleadCpuMbarrier",
                  {there(op->getOperand(0)), i32Constant(b, kFairleadMbarrierComplete),
                   i32Constant(b, bytes)});
    } else if (what != "inval") {
      int action = what == "init"            ? kFairleadMbarrierInit
                   : what == "arrive_expect" ? kFairleadMbarrierArriveExpect
                   : what == "expect"        ? kFairleadMbarrierExpect
                                             : kFairleadMbarrierArrive;
      // Copies of the thread are done where they are asked for.
      Value number = what == "copies_arrive" ? i32Constant(b, 1) : op->getOperand(1);
      Value barrier = remote ? there(op->getOperand(0)) : generic(b, op->getOperand(0));
      callRuntime(b, "FairleadCpuMbarrier", {barrier, i32Constant(b, action), number});
    }
    op->erase();
  }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    ImplicitLocOpBuilder &b = thread.b;
    Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), op->getOperand(0));
    Value low = arith::TruncIOp::create(b, b.getI32Type(), address);
    Value by = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    Value high = arith::TruncIOp::create(b, b.getI32Type(), arith::ShRUIOp::create(b, address, by));
    bool question = op->getNumResults() != 0;
    Value result = thread.wait(question ? kFairleadWaitPoll : kFairleadWaitPhase, thread.zero(),
                               op->getOperand(1), low, high);
    if (!question)
      return {};
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, result, thread.zero());
  }

private:
  static StringRef nameOf(Operation *op) { return cast<dsl::MbarrierOp>(op).what(); }
  static bool asks(Operation *op) { return nameOf(op).ends_with("wait"); }
};

class BarrierArrive final : public CollectiveModelOf<NVVM::BarrierArriveOp> {
public:
  Scope scope(Operation *) const final { return Scope::Block; }
  Effects effects(Operation *) const final { return Effects::Arrives | Effects::Waits; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Emitted; }
  bool takesAll(Operation *, std::optional<int64_t>) const final { return false; }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    auto arrive = cast<NVVM::BarrierArriveOp>(op);
    Value id = arrive.getBarrierId() ? Value(arrive.getBarrierId()) : thread.zero();
    thread.wait(kFairleadWaitArrive, thread.zero(), thread.zero(), id, arrive.getNumberOfThreads());
    return {};
  }
};

} // namespace

void attachMbarrier(MLIRContext &context) {
  dsl::MbarrierOp::attachInterface<MbarrierModel>(context);
  NVVM::BarrierArriveOp::attachInterface<BarrierArrive>(context);
}

} // namespace fairlead::lower
