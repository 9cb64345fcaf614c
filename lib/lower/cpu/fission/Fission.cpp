#include "lower/cpu/CpuPasses.h"

#include "check/compile/CheckBuilder.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/fission/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Returns the values that decide how often the regions of a control flow operation run; nothing
/// for other operations.
std::optional<SmallVector<Value>> controls(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return SmallVector<Value>{branch.getCondition()};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return SmallVector<Value>{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return SmallVector<Value>{loop.getConditionOp().getCondition()};
  return std::nullopt;
}

/// True if all threads of each collective operation's scope reach it together.
bool isTogether(gpu::GPUFuncOp kernel, const Uniformity &uniform) {
  llvm::DenseSet<Operation *> around;
  std::optional<int64_t> threads = blockThreads(kernel);
  WalkResult allTogether = kernel->walk([&](ir::CollectiveOp op) {
    for (Operation *parent = op->getParentOp(); parent != kernel; parent = parent->getParentOp())
      around.insert(parent);
    bool together =
        op.takesAll(threads) && llvm::all_of(op.getUniformOperands(), [&](Value value) {
          return op.getScope() > Scope::Warp ? uniform.inBlock(value) : uniform.inWarp(value);
        });
    return together ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (allTogether.wasInterrupted())
    return false;
  return llvm::all_of(around, [&](Operation *op) {
    auto values = controls(op);
    return values && llvm::all_of(*values, [&](Value value) {
             return isBlockWide(op) ? uniform.inBlock(value) : uniform.inWarp(value);
           });
  });
}

} // namespace

bool buildFissionedFunction(gpu::GPUFuncOp kernel, ModuleOp module) {
  if (!kernel.getBody().hasOneBlock())
    return false;
  Uniformity uniform(kernel);
  if (!isTogether(kernel, uniform))
    return false;
  check::dropBranchNotes(kernel);
  kernel->walk([](Operation *op) { dropAddressSpace(op); });
  return FissionBuilder(kernel, uniform).build(module) != nullptr;
}

} // namespace fairlead::lower
