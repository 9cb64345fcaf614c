/// fairlead.mbarrier.*, fairlead.store_async and nvvm.barrier.arrive: barriers of asynchronous
/// copies, and arrivals at a barrier of the block without a wait. On a CPU they are counters in
/// shared memory; a waiting thread is suspended.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "check/compile/CheckBuilder.h"
#include "fairlead/AsyncCpu.h"
#include "fairlead/CheckCpu.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// The address in the shared memory of a block of the cluster; of this one if `block` is null.
Value addressIn(ImplicitLocOpBuilder &b, Value address, Value block) {
  if (!block)
    return generic(b, address);
  return callRuntime(b, runtime::FairleadCpuMapShared, {generic(b, address), block});
}

void act(ImplicitLocOpBuilder &b, Value barrier, int action, Value number) {
  callRuntime(b, runtime::FairleadCpuMbarrier, {barrier, i32Constant(b, action), number});
}

void emitAct(ir::MbarrierInitOp op, ImplicitLocOpBuilder &b) {
  act(b, addressIn(b, op.getBarrier(), {}), kFairleadMbarrierInit, op.getArrivals());
}
void emitAct(ir::MbarrierArriveOp op, ImplicitLocOpBuilder &b) {
  act(b, addressIn(b, op.getBarrier(), op.getBlock()), kFairleadMbarrierArrive, op.getCount());
}
void emitAct(ir::MbarrierArriveExpectOp op, ImplicitLocOpBuilder &b) {
  act(b, addressIn(b, op.getBarrier(), op.getBlock()), kFairleadMbarrierArriveExpect,
      op.getBytes());
}
void emitAct(ir::MbarrierExpectOp op, ImplicitLocOpBuilder &b) {
  act(b, addressIn(b, op.getBarrier(), op.getBlock()), kFairleadMbarrierExpect, op.getBytes());
}
void emitAct(ir::MbarrierArriveAfterCopiesOp op, ImplicitLocOpBuilder &b) {
  // Copies of the thread are done when they are issued.
  Value one = i32Constant(b, 1);
  act(b, addressIn(b, op.getBarrier(), {}), kFairleadMbarrierArrive, one);
}
void emitAct(ir::StoreAsyncOp op, ImplicitLocOpBuilder &b) {
  Value number = op.getValue();
  const auto bytes = static_cast<int32_t>(number.getType().getIntOrFloatBitWidth() / 8);
  LLVM::StoreOp::create(b, number, addressIn(b, op.getTarget(), op.getBlock()));
  callRuntime(b, runtime::FairleadCpuMbarrier,
              {addressIn(b, op.getBarrier(), op.getBlock()),
               i32Constant(b, kFairleadMbarrierComplete), i32Constant(b, bytes)});
}

//===--- checks --------------------------------------------------------------------------------===

void checkBarrier(Operation *op, OpOperand &barrier, CheckBuilder &checks) {
  constexpr int64_t kBytes = 8;
  if (barrier.get().getDefiningOp<LLVM::ZeroOp>()) // of a loop that waits for memory
    return;
  checks.requireAlignment(op, barrier, kBytes);
  checks.checkInside(op, barrier, kBytes);
}

/// Expecting bytes orders nothing.
void tell(ir::MbarrierExpectOp, CheckBuilder &) {}
void tell(ir::MbarrierInitOp op, CheckBuilder &checks) {
  checks.order(op, kFairleadCheckInit, op.getBarrier(), checks.i64(1));
}
void tell(ir::MbarrierArriveOp op, CheckBuilder &checks) {
  Value count = checks.wide(op.getCount());
  checks.order(op, kFairleadCheckArrive, checks.inBlock(op.getBarrier(), op.getBlock()), count);
}
void tell(ir::MbarrierArriveExpectOp op, CheckBuilder &checks) {
  Value count = checks.i64(1);
  checks.order(op, kFairleadCheckArrive, checks.inBlock(op.getBarrier(), op.getBlock()), count);
}
void tell(ir::MbarrierArriveAfterCopiesOp op, CheckBuilder &checks) {
  checks.order(op, kFairleadCheckCopiesReach, op.getBarrier(), checks.i64(0));
}
void tell(ir::StoreAsyncOp op, CheckBuilder &checks) {
  Value barrier = checks.inBlock(op.getBarrier(), op.getBlock());
  Value bytes = checks.i64(op.getValue().getType().getIntOrFloatBitWidth() / 8);
  Value target = checks.inBlock(op.getTarget(), op.getBlock());
  checks.orderCopy(op, target, bytes, barrier, {});
}

/// Reports a wait at memory that is no mbarrier, and moves the insertion point after the wait.
template <typename Op> void tellWait(Op op, CheckBuilder &checks) {
  if (checks.syncs)
    checks.order(op, kFairleadCheckInit, op.getBarrier(), checks.i64(0));
  checks.b.setInsertionPointAfter(op);
}
void tell(ir::MbarrierWaitOp op, CheckBuilder &checks) {
  tellWait(op, checks);
  checks.order(op, kFairleadCheckPassed, op.getBarrier(), checks.wide(op.getParity()));
}
void tell(ir::MbarrierTestOp op, CheckBuilder &checks) {
  if (op.getBarrier().getDefiningOp<LLVM::ZeroOp>()) // of a loop that waits for memory
    return;
  tellWait(op, checks);
  Value parity = checks.wide(op.getParity());
  auto branch = scf::IfOp::create(checks.b, op.getEnded(), /*withElseRegion=*/false);
  checks.b.setInsertionPointToStart(branch.thenBlock());
  checks.order(op, kFairleadCheckPassed, op.getBarrier(), parity);
}

//===--- models --------------------------------------------------------------------------------===

/// An operation that changes an mbarrier, by a call of the runtime.
template <typename Op> class MbarrierAct final : public CpuModelOf<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    emitAct(cast<Op>(op), b);
    op->erase();
  }
  void checkAccesses(Operation *op, CheckBuilder &checks) const final {
    checkBarrier(op, cast<Op>(op).getBarrierMutable(), checks);
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final { tell(cast<Op>(op), checks); }
};

/// An operation that waits for a phase, or tests if it has ended.
template <typename Op> class MbarrierQuestion final : public EmittedModelOf<Op> {
public:
  void checkAccesses(Operation *op, CheckBuilder &checks) const final {
    checkBarrier(op, cast<Op>(op).getBarrierMutable(), checks);
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final { tell(cast<Op>(op), checks); }
  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    auto question = cast<Op>(op);
    ImplicitLocOpBuilder &b = thread.b;
    Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), question.getBarrier());
    Value low = arith::TruncIOp::create(b, b.getI32Type(), address);
    Value by = i64Constant(b, 32);
    Value high = arith::TruncIOp::create(b, b.getI32Type(), arith::ShRUIOp::create(b, address, by));
    constexpr bool isTest = std::is_same_v<Op, ir::MbarrierTestOp>;
    Value result = thread.wait(isTest ? kFairleadWaitPoll : kFairleadWaitPhase, thread.zero(),
                               question.getParity(), low, high);
    if (!isTest)
      return {};
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, result, thread.zero());
  }
};

template <typename... Ops> void attachActs(MLIRContext &context) {
  (Ops::template attachInterface<MbarrierAct<Ops>>(context), ...);
}

class BarrierArrive final : public EmittedModelOf<NVVM::BarrierArriveOp> {
public:
  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    auto arrive = cast<NVVM::BarrierArriveOp>(op);
    Value id = arrive.getBarrierId() ? Value(arrive.getBarrierId()) : thread.zero();
    thread.wait(kFairleadWaitArrive, thread.zero(), thread.zero(), id, arrive.getNumberOfThreads());
    return {};
  }
};

} // namespace

void attachMbarrier(MLIRContext &context) {
  attachActs<ir::MbarrierInitOp, ir::MbarrierArriveOp, ir::MbarrierArriveExpectOp,
             ir::MbarrierExpectOp, ir::MbarrierArriveAfterCopiesOp, ir::StoreAsyncOp>(context);
  ir::MbarrierWaitOp::attachInterface<MbarrierQuestion<ir::MbarrierWaitOp>>(context);
  ir::MbarrierTestOp::attachInterface<MbarrierQuestion<ir::MbarrierTestOp>>(context);
  NVVM::BarrierArriveOp::attachInterface<BarrierArrive>(context);
}

} // namespace fairlead::lower
