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
  if (auto load = dyn_cast<ir::LoadByteMatrixOp>(op))
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
  if (auto copy = dyn_cast<ir::TensorMemoryCopyOp>(op))
    return {copy.getSource()};
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

/// True if an address may differ from one turn of the loop to the next.
bool dependsOnTurn(Value value, scf::WhileOp loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return false;
  Operation *op = value.getDefiningOp();
  return !op || op->getNumRegions() > 0 || !isMemoryEffectFree(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOnTurn(operand, loop); });
}

/// True for PTX that may use barriers, or copy asynchronously. `membar` does not.
bool mayChangeBarriers(StringRef text) {
  for (size_t at = text.find("bar"); at != StringRef::npos; at = text.find("bar", at + 1))
    if (!text.take_front(at).ends_with("mem"))
      return true;
  return text.contains("cp.async.bulk") || text.contains("tcgen05");
}

/// True if the operation reads the same memory in each turn of the loop.
bool readsAgain(Operation *op, scf::WhileOp loop) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return !allocationOf(load.getAddr()) && !dependsOnTurn(load.getAddr(), loop);
  if (auto inlined = dyn_cast<LLVM::InlineAsmOp>(op))
    return inlined.getHasSideEffects();
  return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op);
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
    noteBarriers(op);
    if (synchronisesThreads(op)) {
      for (Operation *at = op; at && at != function; at = at->getParentOp())
        waits.insert(at);
      need(op);
      for (Value operand : op->getOperands())
        need(operand);
    }
    if (isa<NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaWaitGroupSyncOp>(op))
      need(op);
  });
  function->walk([&](scf::WhileOp loop) { noteLoop(loop); });
  if (mbarriers)
    function->walk([&](Operation *op) {
      for (Value address : addressesRead(op)) {
        need(op);
        need(address);
      }
      if (auto store = dyn_cast<LLVM::StoreOp>(op); // perhaps to an mbarrier
          store && isShared(store.getAddr()) && store.getValue().getType().isInteger(64)) {
        need(op);
        need(store.getAddr());
      }
    });
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      if (Operation *allocation = allocationOf(load.getAddr()))
        needStores(allocation);
  }
}

void PipelineSlice::noteBarriers(Operation *op) {
  mbarriers |= isMbarrierOp(op);
  pipelines |= isMbarrierOp(op) || isa<NVVM::BarrierArriveOp, NVVM::ClusterArriveOp,
                                       NVVM::ClusterArriveRelaxedOp, NVVM::ClusterWaitOp>(op);
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    pipelines |= barrier.getNumberOfThreads() != nullptr;
  if (auto inlined = dyn_cast<LLVM::InlineAsmOp>(op)) {
    if (mayChangeBarriers(inlined.getAsmString())) {
      pipelines = true;
      unclear = "inline PTX may synchronise";
      unclearOp = op;
    }
  }
}

/// The values in a loop on which a value depends.
llvm::DenseSet<Value> PipelineSlice::sourcesInLoop(Value start, scf::WhileOp loop) const {
  llvm::DenseSet<Value> sources;
  SmallVector<Value> next{start};
  while (!next.empty()) {
    Value value = next.pop_back_val();
    Operation *owner = value.getDefiningOp();
    if (!owner)
      owner = cast<BlockArgument>(value).getOwner()->getParentOp();
    if (!loop->isAncestor(owner) || !sources.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value); argument && owner == loop) {
      const unsigned index = argument.getArgNumber();
      next.push_back(argument.getOwner() == loop.getBeforeBody()
                         ? loop.getYieldOp().getOperand(index)
                         : loop.getConditionOp().getArgs()[index]);
      continue;
    }
    next.append(owner->operand_begin(), owner->operand_end());
    for (Region &region : owner->getRegions())
      for (Block &block : region)
        next.append(block.getTerminator()->operand_begin(), block.getTerminator()->operand_end());
    if (auto load = dyn_cast<LLVM::LoadOp>(owner))
      if (auto stores = storesOf.find(allocationOf(load.getAddr())); stores != storesOf.end())
        for (Operation *store : stores->second)
          next.push_back(store->getOperand(0));
  }
  return sources;
}

/// Finds tests of mbarriers that a loop repeats, and loops that wait for memory.
void PipelineSlice::noteLoop(scf::WhileOp loop) {
  const llvm::DenseSet<Value> sources = sourcesInLoop(loop.getConditionOp().getCondition(), loop);
  for (Value value : sources)
    if (Operation *op = value.getDefiningOp(); op && isa<ir::MbarrierTestOp>(op))
      repeated.insert(op);
  const bool counts = llvm::any_of(loop.getBeforeArguments(), [&](BlockArgument argument) {
    Value next = loop.getYieldOp().getOperand(argument.getArgNumber());
    if (auto passed = dyn_cast<BlockArgument>(next);
        passed && passed.getOwner() == loop.getAfterBody())
      next = loop.getConditionOp().getArgs()[passed.getArgNumber()];
    return next != argument && sources.contains(argument) &&
           sourcesInLoop(next, loop).contains(argument);
  });
  if (waits.contains(loop) || counts)
    return;
  for (Value value : sources)
    if (Operation *op = value.getDefiningOp(); op && readsAgain(op, loop)) {
      unclear = "a loop waits for memory, and how that orders threads is not known";
      unclearOp = op;
    }
}

bool PipelineSlice::synchronises(Region &region) const {
  return llvm::any_of(region.getOps(), [&](Operation &op) { return waits.contains(&op); });
}

bool PipelineSlice::onlyWaits(Region &region) const {
  bool only = true;
  region.walk([&](Operation *op) {
    only &= op->getNumRegions() > 0 || !waits.contains(op) ||
            isa<ir::MbarrierWaitOp, ir::MbarrierTestOp>(op);
  });
  return only;
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
