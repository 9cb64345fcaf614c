/// Loops that are not worth their vectorizing.
#ifndef FAIRLEAD_LIB_LOWER_HUGELOOPS_H_
#define FAIRLEAD_LIB_LOWER_HUGELOOPS_H_

#include "llvm/IR/PassManager.h"

namespace fairlead::lower {

/// Leaves innermost loops of many instructions as they are: LLVM's loop vectorizer takes time in
/// the square of a body's length (2 s for 4,000 instructions, 30 ms for 500).
struct KeepHugeLoopsScalar : llvm::PassInfoMixin<KeepHugeLoopsScalar> {
  static constexpr unsigned kMostInstructions = 512;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_HUGELOOPS_H_
