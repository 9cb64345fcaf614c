/// Long computations on one value, which cost LLVM's loop vectorizer quadratic time.
#ifndef FAIRLEAD_LIB_LOWER_MACHINE_LONGCHAINS_H_
#define FAIRLEAD_LIB_LOWER_MACHINE_LONGCHAINS_H_

#include "llvm/IR/PassManager.h"

namespace fairlead::lower {

/// Runs right before the loop vectorizer. In innermost loops, each value of 32 or 64 bits that ends
/// a chain of kLongest floating-point operations is cast to an integer of its bits and back. LLVM
/// 22's vectorizer looks for common subexpressions, and for each operation walks from operand to
/// operand up to a cast or a load, twice: 200 operations on one value take 37 of its 55 million
/// instructions there. InstCombine, which runs after it, removes such pairs, so that the code is
/// the same.
///
/// Loops that carry floating-point values stay unchanged, because a cast would hide a sum from the
/// vectorizer. So do loops whose metadata disables vectorization.
struct BreakLongChains : llvm::PassInfoMixin<BreakLongChains> {
  static constexpr unsigned kLongest = 16;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_MACHINE_LONGCHAINS_H_
