/// What is done to LLVM IR of the host beside LLVM's pipeline.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace fairlead::lower {

/// Prefix of the names of mathematical functions of CPU code: FairleadMath_exp of double,
/// FairleadMath_expf of float. They give the same value for the same input in vector and scalar
/// code, on every processor.
inline constexpr char kMathPrefix[] = "FairleadMath_";

/// Prefix of the names of functions that stand for fairlead.dot_pairs: of its operands, numbers or
/// vectors.
inline constexpr char kDotPairsPrefix[] = "FairleadDotPairs";

/// Expands calls of kDotPairsPrefix to multiply-adds, or where a function's machine has
/// AVX512_BF16, to its instruction. The latter only if `emitsInstructions`: optimise the module
/// before, and expand its floats of 16 bits, which are operands of the instruction.
void expandDotPairs(llvm::Module &module, const llvm::TargetMachine &machine,
                    bool emitsInstructions);

/// Declares the effects of mathematical functions to LLVM, and the names of their vector forms.
/// Call this before the module is optimised.
void declareMathFunctions(llvm::Module &module);

/// Defines the mathematical functions that the optimised module calls, and inlines those with few
/// calls. Throws fairlead::Error (CompileFailed).
void defineMathFunctions(llvm::Module &module);

/// Rewrites operations on floats of 16 bits to operations on float, rounded back to nearest even by
/// integer operations: those on bfloat on every machine, as instructions for them drop subnormal
/// numbers, those on half where a function's machine
/// has no conversions, or its code is selected fast. In between such numbers
/// are integers of 16 bits, also as parameters and results of functions. Left to itself, LLVM calls
/// library functions, which not every process has and which do not vectorize.
void expandFloat16(llvm::Module &module, const llvm::TargetMachine &machine);

/// Rewrites divisions of more than 64 bits to loops, for the same reason.
void expandWideDivisions(llvm::Module &module);

/// Long computations on one value cost LLVM's loop vectorizer quadratic time.
///
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

/// Runs right before the loop vectorizer, and works around llvm/llvm-project#191382.
///
/// The vectorizer and LoopLoadElimination treat an index like `zext i5 {start,+,1} to i64` as
/// consecutive and check before the loop that the narrow recurrence does not wrap. LLVM 20 to 22
/// drop this check if the loop also needs one of a wider recurrence with a start at least as large.
/// Then `row * 32 + (column + 5) % 32` is read as 32 consecutive elements.
///
/// In each loop this pass freezes narrow indices until at most one width of recurrences is left
/// that may need a check. Neither pass looks through a `freeze`: a frozen index is gathered.
struct FreezeNarrowIndices : llvm::PassInfoMixin<FreezeNarrowIndices> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace fairlead::lower
