/// Compares where the result is branched on. A predicate that lives across a loop frees the branch
/// of everything before it, and ptxas then also begins the wait behind the branch early: for a
/// product that other work should overlap.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {

namespace {

/// Returns the value in a register of its own, so that the back end does not take two comparisons
/// of it for one. ptxas removes the move.
Value *moved(Value *value, Instruction &next) {
  IRBuilder<> b(&next);
  auto *type = FunctionType::get(value->getType(), {value->getType()}, false);
  return b.CreateCall(InlineAsm::get(type, "mov.b32 $0, $1;", "=r,r", false), {value});
}

} // namespace

void compareAtBranches(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      auto *branch = dyn_cast<BranchInst>(block.getTerminator());
      if (!branch || !branch->isConditional())
        continue;
      auto *comparison = dyn_cast<ICmpInst>(branch->getCondition());
      if (!comparison || comparison->getParent() == &block ||
          !comparison->getOperand(0)->getType()->isIntegerTy(32))
        continue;
      Instruction *copy = comparison->clone();
      copy->insertBefore(branch->getIterator());
      copy->setOperand(0, moved(copy->getOperand(0), *copy));
      branch->setCondition(copy);
      if (comparison->use_empty())
        comparison->eraseFromParent();
    }
}

} // namespace fairlead::lower
