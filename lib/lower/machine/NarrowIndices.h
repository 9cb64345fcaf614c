/// Index arithmetic in integers of several widths, whose wrapping LLVM's loop passes check in part.
#ifndef FAIRLEAD_LIB_LOWER_MACHINE_NARROWINDICES_H_
#define FAIRLEAD_LIB_LOWER_MACHINE_NARROWINDICES_H_

#include "llvm/IR/PassManager.h"

namespace fairlead::lower {

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
#endif // FAIRLEAD_LIB_LOWER_MACHINE_NARROWINDICES_H_
