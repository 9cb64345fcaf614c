#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "check/compile/PipelineWarp.h"
#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::check {
namespace {

bool isShared(Value address) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(address.getType());
  constexpr unsigned kShared = 3, kCluster = 7;
  return type && (type.getAddressSpace() == kShared || type.getAddressSpace() == kCluster);
}

bool isMbarrierOp(Operation *op) {
  return isa<ir::MbarrierInitOp, ir::MbarrierArriveOp, ir::MbarrierArriveExpectOp,
             ir::MbarrierExpectOp, ir::MbarrierArriveAfterCopiesOp, ir::MbarrierWaitOp,
             ir::MbarrierTestOp, ir::TensorMemoryCommitOp>(op);
}

/// True for operations that order threads, or bring bytes that a barrier counts.
bool synchronisesThreads(Operation *op) {
  if (isMbarrierOp(op))
    return true;
  if (auto async = dyn_cast<ir::AsyncOp>(op))
    return static_cast<bool>(async.getCompletionBarrier());
  return isa<NVVM::BarrierOp, NVVM::BarrierArriveOp, NVVM::ClusterArriveOp,
             NVVM::ClusterArriveRelaxedOp, NVVM::ClusterWaitOp>(op);
}

/// Returns the operands of an operation that reads memory which copies may have written.
SmallVector<Value> addressesRead(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return isShared(load.getAddr()) ? SmallVector<Value>{load.getAddr()} : SmallVector<Value>();
  if (auto load = dyn_cast<ir::LoadMatrixOp>(op))
    return {load.getRow()};
  if (auto mma = dyn_cast<ir::WarpgroupMmaOp>(op)) {
    SmallVector<Value> read{mma.getB()};
    if (!mma.isAInRegisters())
      read.push_back(mma.getA().front());
    return read;
  }
  if (auto mma = dyn_cast<ir::TensorMemoryMmaOp>(op))
    return {mma.getA(), mma.getB()};
  if (auto mma = dyn_cast<ir::TensorMemoryScaledMmaOp>(op))
    return {mma.getA(), mma.getB()};
  return {};
}

/// The allocation of registers that an address is in, or null.
Operation *allocationOf(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (isa<LLVM::AllocaOp>(op))
      return op;
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp>(op))
      return nullptr;
    address = op->getOperand(0);
  }
  return nullptr;
}

} // namespace

PipelineSlice::PipelineSlice(Operation *function, bool isKernel) {
  function->walk([&](Operation *op) {
    if (!isKernel)
      needed.insert(op);
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      if (Operation *allocation = allocationOf(store.getAddr()))
        storesOf[allocation].push_back(op);
  });
  if (!isKernel)
    return;
  function->walk([&](Operation *op) {
    mbarriers |= isMbarrierOp(op);
    if (synchronisesThreads(op)) {
      for (Operation *at = op; at && at != function; at = at->getParentOp())
        waits.insert(at);
      need(op);
      for (Value operand : op->getOperands())
        need(operand);
    }
    if (isa<NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaWaitGroupSyncOp>(op))
      need(op);
    if (isa<LLVM::InlineAsmOp>(op)) {
      StringRef text = cast<LLVM::InlineAsmOp>(op).getAsmString();
      if (text.contains("bar") || text.contains("cp.async.bulk") || text.contains("tcgen05"))
        unclear = op;
    }
  });
  if (mbarriers)
    function->walk([&](Operation *op) {
      for (Value address : addressesRead(op)) {
        need(op);
        need(address);
      }
    });
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      if (Operation *allocation = allocationOf(load.getAddr()))
        needStores(allocation);
  }
}

void PipelineSlice::needStores(Operation *allocation) {
  for (Operation *store : storesOf[allocation])
    if (!needed.contains(store)) {
      need(store);
      for (Value operand : store->getOperands())
        need(operand);
    }
}

/// An operation is computed if the program comes to it: so are the conditions around it.
void PipelineSlice::need(Operation *op) {
  if (!needed.insert(op).second)
    return;
  work.push_back(op);
  Operation *parent = op->getParentOp();
  if (!parent || isa<gpu::GPUFuncOp>(parent))
    return;
  need(parent);
  if (auto branch = dyn_cast<scf::IfOp>(parent)) {
    need(branch.getCondition());
  } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      need(bound);
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    need(loop.getConditionOp().getCondition());
  }
}

void PipelineSlice::need(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    const unsigned index = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      need(owner);
      if (index == 0 || !arguments.insert(value).second)
        return;
      need(loop.getInitArgs()[index - 1]);
      need(loop.getBody()->getTerminator()->getOperand(index - 1));
    } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
      need(owner);
      if (!arguments.insert(value).second)
        return;
      if (argument.getOwner() == loop.getBeforeBody()) {
        need(loop.getInits()[index]);
        need(loop.getYieldOp().getOperand(index));
      } else {
        need(loop.getConditionOp().getArgs()[index]);
      }
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  const unsigned index = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (!arguments.insert(value).second)
      return;
    need(op);
    need(branch.getCondition());
    need(branch.thenYield().getOperand(index));
    need(branch.elseYield().getOperand(index));
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    need(op);
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      need(bound);
    need(Value(loop.getRegionIterArgs()[index]));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (!arguments.insert(value).second)
      return;
    need(op);
    need(loop.getConditionOp().getCondition());
    need(loop.getConditionOp().getArgs()[index]);
  } else if (!needed.contains(op)) {
    need(op);
    for (Value operand : op->getOperands())
      need(operand);
  }
}

} // namespace fairlead::check
