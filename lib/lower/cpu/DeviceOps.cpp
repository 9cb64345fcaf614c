#include "lower/cpu/DeviceOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/Symbols.h"
#include "fairlead/Runtime.h"
#include "lower/cpu/Coroutines.h"
#include "lower/cpu/ThreadFunctions.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class DeviceOpLowering {
public:
  DeviceOpLowering(LLVM::LLVMFuncOp function, const ThreadValues &values)
      : function(function), values(values), b(function.getLoc(), function.getContext()) {}

  void run() {
    replaceIds<gpu::ThreadIdOp>(values.threadId);
    replaceIds<gpu::BlockIdOp>(values.blockId);
    replaceIds<gpu::BlockDimOp>(values.blockDim);
    replaceIds<gpu::GridDimOp>(values.gridDim);
    SmallVector<Operation *> ops;
    function->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      lower(op);
  }

private:
  template <typename Op> void replaceIds(ArrayRef<Value> numbers) {
    SmallVector<Op> ids;
    function->walk([&](Op op) { ids.push_back(op); });
    for (Op op : ids) {
      Value value = numbers[static_cast<int>(op.getDimension())];
      // Almost every use is a cast to i32, which the value already is.
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        if (auto cast = dyn_cast<arith::IndexCastOp>(user);
            cast && cast.getType() == value.getType()) {
          cast.replaceAllUsesWith(value);
          cast.erase();
        }
      if (!op->use_empty()) {
        b.setInsertionPoint(op);
        op.replaceAllUsesWith(Value(arith::IndexCastOp::create(b, b.getIndexType(), value)));
      }
      op->erase();
    }
  }

  void lower(Operation *op) {
    b.setInsertionPoint(op);
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
      if (address.getGlobalName() == dsl::kSharedSymbol)
        replace(op, values.shared);
    } else if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
      if (assembly.getAsmString() == dsl::kSharedSizeAssembly)
        replace(op, loadInt(b, values.launch, kSharedField));
    } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
      atomic.setSyncscopeAttr({});
    } else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op)) {
      exchange.setSyncscopeAttr({});
    } else if (auto fence = dyn_cast<LLVM::FenceOp>(op)) {
      fence.setSyncscopeAttr({});
    } else if (mayWait(op)) {
      lowerWait(op);
    } else {
      dropAddressSpace(op);
    }
  }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  void dropAddressSpace(Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<LLVM::LLVMPointerType>(result.getType());
          type && type.getAddressSpace() != 0)
        result.setType(LLVM::LLVMPointerType::get(b.getContext()));
  }

  Value i32(int64_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }

  /// Leaves a call that Coroutines.cpp turns into a suspension; its result is what the runtime
  /// hands to the thread.
  Value wait(int kind, Value mask, Value value, Value first, Value second) {
    declareWait();
    auto call =
        LLVM::CallOp::create(b, TypeRange{b.getI32Type()}, kWaitSymbol,
                             ValueRange{values.thread, i32(kind), mask, value, first, second});
    return call.getResult();
  }

  void declareWait() {
    auto module = function->getParentOfType<ModuleOp>();
    if (module.lookupSymbol(kWaitSymbol))
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    Type word = b.getI32Type(), pointer = LLVM::LLVMPointerType::get(b.getContext());
    LLVM::LLVMFuncOp::create(
        b, kWaitSymbol, LLVM::LLVMFunctionType::get(word, {pointer, word, word, word, word, word}));
  }

  void lowerWait(Operation *op) {
    Value zero = i32(0);
    if (auto barrier = dyn_cast<NVVM::BarrierOp>(op)) {
      wait(kFairleadWaitBarrier, zero, zero, barrier.getBarrierId() ? barrier.getBarrierId() : zero,
           barrier.getNumberOfThreads() ? barrier.getNumberOfThreads() : zero);
      op->erase();
    } else if (auto warp = dyn_cast<NVVM::SyncWarpOp>(op)) {
      wait(kFairleadWaitWarp, warp.getMask(), zero, zero, zero);
      op->erase();
    } else if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
      constexpr int kKinds[] = {kFairleadWaitShuffleButterfly, kFairleadWaitShuffleUp,
                                kFairleadWaitShuffleDown, kFairleadWaitShuffleIndex};
      replace(op, wait(kKinds[static_cast<int>(shuffle.getKind())], shuffle.getThreadMask(),
                       shuffle.getVal(), shuffle.getOffset(), shuffle.getMaskAndClamp()));
    } else if (auto vote = dyn_cast<NVVM::VoteSyncOp>(op)) {
      constexpr int kKinds[] = {kFairleadWaitVoteAny, kFairleadWaitVoteAll, kFairleadWaitVoteBallot,
                                kFairleadWaitVoteUniform};
      Value mine = arith::ExtUIOp::create(b, b.getI32Type(), vote.getPred());
      Value all = wait(kKinds[static_cast<int>(vote.getKind())], vote.getMask(), mine, zero, zero);
      if (op->getResult(0).getType().isInteger(1))
        all = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, all, zero);
      replace(op, all);
    }
  }

  LLVM::LLVMFuncOp function;
  const ThreadValues &values;
  ImplicitLocOpBuilder b;
};

} // namespace

Value loadInt(ImplicitLocOpBuilder &b, Value base, int index) {
  Value address =
      LLVM::GEPOp::create(b, base.getType(), b.getI32Type(), base, ArrayRef<LLVM::GEPArg>{index});
  return LLVM::LoadOp::create(b, b.getI32Type(), address);
}

SmallVector<Value> loadParams(ImplicitLocOpBuilder &b, gpu::GPUFuncOp kernel, Value array) {
  SmallVector<Value> values;
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    Value slot = LLVM::GEPOp::create(b, array.getType(), array.getType(), array,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    Value address = LLVM::LoadOp::create(b, array.getType(), slot);
    values.push_back(LLVM::LoadOp::create(b, argument.getType(), address));
  }
  return values;
}

void lowerDeviceOps(LLVM::LLVMFuncOp function, const ThreadValues &values) {
  DeviceOpLowering(function, values).run();
}

} // namespace fairlead::lower
