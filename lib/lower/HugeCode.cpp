#include "lower/HugeCode.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace fairlead::lower {

bool isHuge(const llvm::Module &module) {
  constexpr unsigned kMostInstructions = 3000;
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.getInstructionCount() > kMostInstructions;
  });
}

llvm::PreservedAnalyses KeepHugeLoopsScalar::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    size_t instructions = 0;
    for (const llvm::BasicBlock *block : loop->blocks())
      instructions += block->size();
    if (instructions > kMostInstructions)
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace fairlead::lower
