/// Work of LLVM and MLIR that may end in a fatal error: what would end the process ends the work.
#ifndef FAIRLEAD_LIB_LOWER_CRASHGUARD_H_
#define FAIRLEAD_LIB_LOWER_CRASHGUARD_H_

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

namespace fairlead::lower {

/// What ended a piece of the compiler's work.
class Crash : public std::runtime_error {
public:
  Crash(std::string stage, const std::string &reason, std::string ir)
      : std::runtime_error("the compiler stopped during " + stage + ": " + reason),
        stage(std::move(stage)), reason(reason), ir(std::move(ir)) {}

  std::string stage, reason;
  std::string ir; ///< what it worked on, as it then was; "" where that could not be printed
};

/// Runs `work` on this thread. Where a fatal error of LLVM, an abort, a trap, an illegal access or
/// an overflow of the stack ends it, the reason in words; nothing where it ended by itself.
/// Exceptions pass. Other threads, and what they run, are left alone.
///
/// What the work has begun is not cleaned up: objects that it changed may be broken, so that they
/// are not to be touched (Kept is for those), and locks that it held stay locked, so that it should
/// hold none that others want.
std::optional<std::string> crashOf(llvm::function_ref<void()> work);

/// The same; throws Crash, with what `print` writes.
void guarded(const char *stage, llvm::function_ref<void()> work,
             llvm::function_ref<void(llvm::raw_ostream &)> print);

/// What `guarded` would throw: for work that ended by itself and says that it went wrong.
Crash crashWith(const std::string &stage, const std::string &reason,
                llvm::function_ref<void(llvm::raw_ostream &)> print);

/// How many crashes there have been, on any thread.
unsigned numCrashes();

/// An object that is destroyed unless there was a crash since it was made, so that it may be
/// broken.
template <typename T> class Kept {
public:
  template <typename... Args>
  explicit Kept(Args &&...args) : object(new T{std::forward<Args>(args)...}) {}
  ~Kept() {
    if (numCrashes() == seen)
      delete object;
  }
  Kept(const Kept &) = delete;
  Kept &operator=(const Kept &) = delete;
  T &operator*() const { return *object; }
  T *operator->() const { return object; }

private:
  T *object;
  unsigned seen = numCrashes();
};

/// A context whose errors are thrown by throwErrors(), where LLVM would print them and exit.
std::unique_ptr<llvm::LLVMContext> makeContext();
/// Throws fairlead::Error (CompileFailed) with the errors that LLVM has reported for a context of
/// makeContext() since the last call.
void throwErrors(llvm::LLVMContext &context, const char *stage);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CRASHGUARD_H_
