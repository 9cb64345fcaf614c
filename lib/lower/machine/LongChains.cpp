#include "lower/machine/HostPasses.h"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace fairlead::lower {
namespace {

/// True if the loop's metadata disables vectorization.
bool staysScalar(const llvm::Loop &loop) {
  return llvm::getOptionalBoolLoopAttribute(&loop, "llvm.loop.vectorize.enable") == false;
}

bool carriesFloats(const llvm::Loop &loop) {
  return llvm::any_of(loop.getHeader()->phis(),
                      [](const llvm::PHINode &phi) { return phi.getType()->isFloatingPointTy(); });
}

/// True if the vectorizer looks through the instruction at its operands.
bool isLink(const llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == llvm::Intrinsic::fma;
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::SelectInst, llvm::PHINode>(
      instruction);
}

/// True if a cast may follow the instruction: not a phi, which other phis may follow.
bool canEnd(const llvm::Instruction &instruction) {
  return !llvm::isa<llvm::PHINode>(instruction) &&
         (instruction.getType()->isFloatTy() || instruction.getType()->isDoubleTy());
}

void castToBitsAndBack(llvm::Instruction &value) {
  llvm::IRBuilder<> builder(value.getParent(), std::next(value.getIterator()));
  builder.SetCurrentDebugLocation(value.getDebugLoc());
  auto *bits = new llvm::BitCastInst(
      &value, builder.getIntNTy(value.getType()->getPrimitiveSizeInBits()), "bits");
  builder.Insert(bits);
  auto *back = new llvm::BitCastInst(bits, value.getType(), "same");
  builder.Insert(back);
  value.replaceUsesWithIf(back, [&](llvm::Use &use) { return use.getUser() != bits; });
}

bool breakChains(llvm::Loop &loop, llvm::LoopInfo &loops) {
  llvm::LoopBlocksRPO blocks(&loop);
  blocks.perform(&loops);
  llvm::DenseMap<const llvm::Value *, unsigned> length; // of the chain that ends with a value
  bool changed = false;
  for (llvm::BasicBlock *block : blocks)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block)) {
      if (!isLink(instruction))
        continue;
      unsigned longest = 0;
      for (const llvm::Value *operand : instruction.operands())
        longest = std::max(longest, length.lookup(operand));
      if (++longest < BreakLongChains::kLongest || !canEnd(instruction)) {
        length[&instruction] = longest;
        continue;
      }
      castToBitsAndBack(instruction);
      changed = true;
    }
  return changed;
}

} // namespace

llvm::PreservedAnalyses BreakLongChains::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && !staysScalar(*loop) && !carriesFloats(*loop))
      changed |= breakChains(*loop, loops);
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace fairlead::lower
