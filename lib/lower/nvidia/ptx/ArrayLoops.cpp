/// Loops over arrays in private memory. Once such a loop is unrolled, the array is in registers.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

/// A thread has no more registers.
constexpr unsigned kMostRounds = 256;
/// Instructions of an unrolled loop.
constexpr uint64_t kMostInstructions = 1 << 14;

/// Returns the number of instructions of a round, with those of the loops in it as often as they
/// run.
uint64_t instructionsOf(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  uint64_t count = 0;
  for (llvm::BasicBlock *block : loop.blocks())
    count += block->size();
  for (const llvm::Loop *inner : loop) {
    const uint64_t rounds = evolution.getSmallConstantTripCount(inner);
    count += instructionsOf(*inner, evolution) * (std::max<uint64_t>(rounds, 1) - 1);
  }
  return count;
}

/// Returns true if the address is that of an array's element whose place depends on the round.
bool isIndexed(llvm::GetElementPtrInst &address, const llvm::Loop &loop,
               llvm::ScalarEvolution &evolution) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(&address)) &&
         llvm::SCEVExprContains(evolution.getSCEV(&address), [&](const llvm::SCEV *part) {
           auto *counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
           return counter && counter->getLoop() == &loop;
         });
}

bool indexesArray(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &instruction : *block)
      if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
          address && address->getType()->isPointerTy() && isIndexed(*address, loop, evolution))
        return true;
  return false;
}

} // namespace

void unrollArrayLoops(const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution) {
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    const unsigned rounds = evolution.getSmallConstantTripCount(loop);
    // The program may forbid unrolling.
    if (llvm::hasUnrollTransformation(loop) & llvm::TM_Disable)
      continue;
    if (rounds > 0 && rounds <= kMostRounds &&
        rounds * instructionsOf(*loop, evolution) <= kMostInstructions &&
        indexesArray(*loop, evolution)) {
      loop->setLoopID(nullptr);
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 0);
    }
  }
}

// Compares where the result is branched on. A predicate that lives across a loop frees the branch
// of everything before it, and ptxas then also begins the wait behind the branch early: for a
// product that other work should overlap.

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
