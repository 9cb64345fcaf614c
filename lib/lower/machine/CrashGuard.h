/// Guards for work of LLVM and MLIR: a fatal error ends the work instead of the process.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

namespace fairlead::lower {

/// The error that ended a piece of the compiler's work.
class Crash : public std::runtime_error {
public:
  Crash(std::string stage, const std::string &reason, std::string ir)
      : std::runtime_error("the compiler stopped during " + stage + ": " + reason),
        stage(std::move(stage)), reason(reason), ir(std::move(ir)) {}

  std::string stage, reason;
  std::string ir; ///< what it worked on, as it then was; "" where that could not be printed
};

/// Runs `work` on this thread. If a fatal error of LLVM, an abort, a trap, an illegal access or a
/// stack overflow ends it, returns the reason in words; nothing if it returns normally. Exceptions
/// pass. Other threads and their work are not affected.
///
/// A crash leaves the work undone and its memory in use. Objects that it changed may be broken and
/// must not be touched (use Kept for them). Locks that it held stay locked, so it must not hold
/// locks that other threads need.
std::optional<std::string> crashOf(llvm::function_ref<void()> work);

/// Runs `work` like crashOf, but throws Crash with the text that `print` writes.
void guarded(const char *stage, llvm::function_ref<void()> work,
             llvm::function_ref<void(llvm::raw_ostream &)> print);

/// Returns the Crash that `guarded` would throw, for work that returned and reported a failure.
Crash crashWith(const std::string &stage, const std::string &reason,
                llvm::function_ref<void(llvm::raw_ostream &)> print);

/// Returns the number of crashes so far, on any thread.
unsigned numCrashes();

/// An object that is leaked instead of destroyed if a crash happened in its lifetime, because it
/// may be broken.
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

/// Creates a context whose errors throwErrors() throws; LLVM would print them and exit.
std::unique_ptr<llvm::LLVMContext> makeContext();
/// Throws fairlead::Error (CompileFailed) with the errors that LLVM has reported for a context of
/// makeContext() since the last call.
void throwErrors(llvm::LLVMContext &context, const char *stage);

} // namespace fairlead::lower
