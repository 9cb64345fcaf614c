/// Adds to the sums of a loop as soon as what is added is there. Programs often do it at the end of
/// a round; before, while threads wait for each other, it costs no time, and its operands need no
/// registers across the wait. ptxas moves such additions across branches only sometimes.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {

namespace {

/// Returns the addition by which a round gets the next value of `sum`, if it is the only use.
Instruction *additionTo(PHINode &sum, const Loop &loop) {
  auto *added = dyn_cast<Instruction>(sum.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!sum.getType()->isFPOrFPVectorTy() || !added || !sum.hasOneUse() || sum.user_back() != added)
    return nullptr;
  const auto *call = dyn_cast<IntrinsicInst>(added);
  const bool adds =
      added->getOpcode() == Instruction::FAdd || (call && call->getIntrinsicID() == Intrinsic::fma);
  return adds ? added : nullptr;
}

/// Returns the last operand, beside the sum, that a round computes; null if their order is unknown.
Instruction *lastOperand(Instruction &addition, const PHINode &sum, const Loop &loop,
                         const DominatorTree &tree) {
  Instruction *last = nullptr;
  for (Value *operand : addition.operands()) {
    auto *computed = dyn_cast<Instruction>(operand);
    if (!computed || computed == &sum || !loop.contains(computed))
      continue;
    if (!last || tree.dominates(last, computed))
      last = computed;
    else if (last != computed && !tree.dominates(computed, last))
      return nullptr;
  }
  return last;
}

/// True if the loop has instructions whose results must not be read before a later wait.
bool hasLateResults(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &op : *block)
      if (const auto *call = dyn_cast<CallBase>(&op)) {
        const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
        StringRef text = assembly ? assembly->getAsmString() : call->getCalledOperand()->getName();
        if (text.contains("wgmma") || text.contains("tcgen05"))
          return true;
      }
  return false;
}

void addEarly(const Loop &loop, const LoopInfo &loops, const DominatorTree &tree) {
  if (!loop.getLoopLatch() || hasLateResults(loop))
    return;
  for (PHINode &sum : loop.getHeader()->phis()) {
    Instruction *addition = additionTo(sum, loop);
    if (!addition || loops.getLoopFor(addition->getParent()) != &loop)
      continue;
    Instruction *last = lastOperand(*addition, sum, loop, tree);
    if (!last || last->getParent() == addition->getParent() || last->isTerminator() ||
        loops.getLoopFor(last->getParent()) != &loop)
      continue;
    addition->moveBefore(isa<PHINode>(last) ? last->getParent()->getFirstInsertionPt()
                                            : std::next(last->getIterator()));
  }
}

} // namespace

void addToSumsEarly(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (const Loop *loop : loops.getLoopsInPreorder())
      addEarly(*loop, loops, tree);
  }
}

} // namespace fairlead::lower
