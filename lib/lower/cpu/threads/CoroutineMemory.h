/// Memory of coroutines that must outlive a suspension, but that LLVM would keep on the stack.
#ifndef FAIRLEAD_LIB_LOWER_CPU_THREADS_COROUTINEMEMORY_H_
#define FAIRLEAD_LIB_LOWER_CPU_THREADS_COROUTINEMEMORY_H_

#include "llvm/IR/PassManager.h"

namespace fairlead::lower {

/// Runs right before coroutines are split.
///
/// LLVM 22 moves an alloca into the frame if the way from one block that uses it to another crosses
/// a suspension. It does not look at the way from a block around a loop back to itself: a register
/// tensor that a loop accumulates in one block, and that nothing wrote before, lost its values at
/// each suspension. This pass gives such an alloca a use in the entry block: it writes one byte.
struct KeepLoopMemory : llvm::PassInfoMixin<KeepLoopMemory> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; } // at level 0, too
};

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_THREADS_COROUTINEMEMORY_H_
