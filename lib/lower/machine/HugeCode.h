/// Code that is too long for passes with more than linear time.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Pass.h"

namespace fairlead::lower {

/// True if a function of the module has more than a few thousand instructions. Such code is
/// optimised at level 1 and its instructions are not rescheduled: LLVM's scheduler walks all uses
/// of a register for each use in a block.
bool isHuge(const llvm::Module &module);

/// Disables vectorization of innermost loops with many instructions: the time of LLVM's loop
/// vectorizer is quadratic in a body's length (2 s for 4,000 instructions, 30 ms for 500).
struct KeepHugeLoopsScalar : llvm::PassInfoMixin<KeepHugeLoopsScalar> {
  static constexpr unsigned kMostInstructions = 512;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Lets LLVM's SLP vectorizer, whose time is quadratic in a block's length, skip functions with a
/// long block: it takes 10 s for one of 3,320 instructions.
void skipSlpOfLongBlocks(llvm::PassInstrumentationCallbacks &callbacks);

/// Creates a pass that cuts long blocks, for LLVM's code generator, after the last pass that joins
/// blocks. Within a block, the code generator follows a value through all instructions that
/// overwrite their operand, from each of them: 10,000 fused multiply-adds on one value take half as
/// long in pieces.
llvm::FunctionPass *createCutBlocksPass();

} // namespace fairlead::lower
