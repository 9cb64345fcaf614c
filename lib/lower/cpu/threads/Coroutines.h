/// Threads of the CPU target that can be suspended, as LLVM's coroutines.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {

class Module;

} // namespace llvm

namespace fairlead::lower {

/// On functions to be made coroutines: their last parameter is the thread (FairleadCpuThread *),
/// they return a pointer, which becomes the coroutine's handle.
inline constexpr char kThreadAttribute[] = "fairlead-thread";

/// `i32 fairlead_wait(ptr thread, i32 kind, i32 mask, i32 value, i32 first, i32 second, ptr at)`:
/// stores its arguments in the thread, suspends it, and returns the thread's result once it goes
/// on.
inline constexpr char kWaitSymbol[] = "fairlead_wait";

/// Turns the marked functions of a freshly translated module into coroutines, which LLVM's pipeline
/// then splits. Returns true if it has any.
bool makeCoroutines(llvm::Module &module);

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
