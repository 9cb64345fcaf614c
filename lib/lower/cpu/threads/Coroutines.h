/// Threads of the CPU target that can be suspended, as LLVM's coroutines.
#ifndef FAIRLEAD_LIB_LOWER_CPU_THREADS_COROUTINES_H_
#define FAIRLEAD_LIB_LOWER_CPU_THREADS_COROUTINES_H_

namespace llvm {
class Module;
}

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

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_THREADS_COROUTINES_H_
