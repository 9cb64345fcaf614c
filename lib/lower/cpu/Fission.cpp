#include "lower/cpu/Fission.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

#include "lower/cpu/FissionBuilder.h"
#include "lower/cpu/ThreadFunctions.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

bool isConstant(Value value, int64_t number) {
  APInt found;
  return matchPattern(value, m_ConstantInt(&found)) && found.getSExtValue() == number;
}

/// Whether it is for all threads of the block, or of the warp.
bool isWhole(Operation *op, gpu::GPUFuncOp kernel) {
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op)) {
    if (barrier->getNumResults())
      return false;
    std::optional<ArrayRef<int32_t>> extents = kernel.getKnownBlockSize();
    Value number = barrier.getNumberOfThreads();
    return !number || isConstant(number, 0) ||
           (extents && isConstant(number, (*extents)[0] * (*extents)[1] * (*extents)[2]));
  }
  if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op))
    return isConstant(sync.getMask(), -1);
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op))
    return isConstant(shuffle.getThreadMask(), -1) && !shuffle.getReturnValueAndIsValid();
  if (auto vote = dyn_cast<NVVM::VoteSyncOp>(op))
    return isConstant(vote.getMask(), -1);
  return false;
}

/// What decides how often the regions of a control flow operation run; nothing for other ones.
std::optional<SmallVector<Value>> controls(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return SmallVector<Value>{branch.getCondition()};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return SmallVector<Value>{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return SmallVector<Value>{loop.getConditionOp().getCondition()};
  return std::nullopt;
}

bool isTogether(gpu::GPUFuncOp kernel, const Uniformity &uniform) {
  llvm::DenseSet<Operation *> around;
  WalkResult whole = kernel->walk([&](Operation *op) {
    if (!mayWait(op))
      return WalkResult::advance();
    for (Operation *parent = op->getParentOp(); parent != kernel; parent = parent->getParentOp())
      around.insert(parent);
    return isWhole(op, kernel) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (whole.wasInterrupted())
    return false;
  return llvm::all_of(around, [&](Operation *op) {
    auto values = controls(op);
    return values && llvm::all_of(*values, [&](Value value) {
             return holdsBarrier(op) ? uniform.inBlock(value) : uniform.inWarp(value);
           });
  });
}

/// The CPU has one address space.
void dropAddressSpaces(gpu::GPUFuncOp kernel) {
  auto drop = [](Value value) {
    if (auto type = dyn_cast<LLVM::LLVMPointerType>(value.getType());
        type && type.getAddressSpace() != 0)
      value.setType(LLVM::LLVMPointerType::get(type.getContext()));
  };
  kernel->walk([&](Operation *op) {
    for (Value result : op->getResults())
      drop(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          drop(argument);
  });
}

} // namespace

bool buildFissionedFunction(gpu::GPUFuncOp kernel, ModuleOp module) {
  if (!kernel.getBody().hasOneBlock())
    return false;
  Uniformity uniform(kernel);
  if (!isTogether(kernel, uniform))
    return false;
  dropAddressSpaces(kernel);
  return FissionBuilder(kernel, uniform).build(module) != nullptr;
}

} // namespace fairlead::lower
