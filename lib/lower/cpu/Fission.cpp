#include "lower/cpu/Fission.h"

#include "lower/cpu/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

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

/// Whether the threads of each collective operation's scope come to it together, all of them.
bool isTogether(gpu::GPUFuncOp kernel, const Uniformity &uniform) {
  llvm::DenseSet<Operation *> around;
  std::optional<int64_t> threads = blockThreads(kernel);
  WalkResult whole = kernel->walk([&](Operation *op) {
    CollectiveOp collective = asCollective(op);
    if (!collective)
      return WalkResult::advance();
    for (Operation *parent = op->getParentOp(); parent != kernel; parent = parent->getParentOp())
      around.insert(parent);
    bool together =
        collective.takesAll(threads) &&
        llvm::all_of(collective.uniformOperands(), [&](Value value) {
          return collective.scope() > Scope::Warp ? uniform.inBlock(value) : uniform.inWarp(value);
        });
    return together ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (whole.wasInterrupted())
    return false;
  return llvm::all_of(around, [&](Operation *op) {
    auto values = controls(op);
    return values && llvm::all_of(*values, [&](Value value) {
             return isBlockWide(op) ? uniform.inBlock(value) : uniform.inWarp(value);
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
