#include "lower/machine/HugeCode.h"

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

void skipSlpOfLongBlocks(llvm::PassInstrumentationCallbacks &callbacks) {
  constexpr size_t kMostInstructions = 1536;
  callbacks.registerShouldRunOptionalPassCallback([](llvm::StringRef pass, llvm::Any code) {
    const auto *const *function = llvm::any_cast<const llvm::Function *>(&code);
    return !function || pass != "SLPVectorizerPass" ||
           llvm::none_of(**function, [](const llvm::BasicBlock &block) {
             return block.size() > kMostInstructions;
           });
  });
}

namespace {

class CutBlocks : public llvm::FunctionPass {
public:
  static inline char ID = 0;
  CutBlocks() : FunctionPass(ID) {}

  bool runOnFunction(llvm::Function &function) override {
    bool changed = false;
    // The part after a cut is the next block, and is cut again.
    for (llvm::BasicBlock &block : function)
      if (block.size() > kMostInstructions) {
        auto at = std::next(block.begin(), kMostInstructions - 1);
        while (llvm::isa<llvm::PHINode>(*at))
          ++at;
        if (at->isTerminator())
          continue;
        block.splitBasicBlock(at);
        changed = true;
      }
    return changed;
  }

private:
  static constexpr unsigned kMostInstructions = 512;
};

} // namespace

llvm::FunctionPass *createCutBlocksPass() { return new CutBlocks; }

} // namespace fairlead::lower
