#include "lower/machine/CrashGuard.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <memory>
#include <mutex>
#include <utility>

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"

#include "fairlead/Diagnostics.h"

namespace fairlead::lower {
namespace {

// llvm::CrashRecoveryContext does less: its handlers have no stack of their own, so that an
// overflow of the stack ends the process; it raises signals of other threads again, without the
// address that their handlers ask for; and it goes on after crashes inside of malloc.
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};

/// Work that runs on this thread.
struct Running {
  sigjmp_buf back;
  Running *around = nullptr;
  char reason[512] = "";
};
// Signal handlers read this; they must not allocate.
__attribute__((tls_model("initial-exec"))) thread_local Running *running = nullptr;

[[noreturn]] void leave(const char *reason) {
  Running *left = running;
  std::strncpy(left->reason, reason, sizeof(left->reason) - 1);
  siglongjmp(left->back, 1);
}

/// The previous handlers of the signals, while guards are installed.
struct Handlers {
  std::mutex mutex;
  int users = 0;
  struct sigaction before[std::size(kSignals)];
};
Handlers &handlers() {
  static Handlers *all = new Handlers;
  return *all;
}

/// The addresses of the functions that manage memory. A crash in one of them leaves a lock that
/// everything needs, or memory with unknown contents: the process cannot continue.
class MemoryFunctions {
public:
  MemoryFunctions() {
    for (size_t i = 0; i < std::size(kNames); ++i) {
      void *address = dlsym(RTLD_DEFAULT, kNames[i]);
      Dl_info info;
      void *found = nullptr;
      if (address && dladdr1(address, &info, &found, RTLD_DL_SYMENT) && found)
        ranges[i] = {reinterpret_cast<uintptr_t>(address),
                     static_cast<const ElfW(Sym) *>(found)->st_size};
    }
    void *frames[1];
    backtrace(frames, 1); // loads what it needs while memory can be had
  }
  bool areRunning() const {
    void *frames[64];
    const int count = backtrace(frames, 64);
    for (int i = 0; i < count; ++i)
      for (auto [begin, size] : ranges)
        if (reinterpret_cast<uintptr_t>(frames[i]) - begin < size)
          return true;
    return false;
  }

private:
  static constexpr const char *kNames[] = {"malloc",         "calloc",        "realloc", "free",
                                           "posix_memalign", "aligned_alloc", "memalign"};
  std::pair<uintptr_t, uintptr_t> ranges[std::size(kNames)] = {};
};
const MemoryFunctions &memoryFunctions() {
  static const auto *all = new MemoryFunctions;
  return *all;
}

const char *inWords(int signal) {
  switch (signal) {
  case SIGABRT:
    return "it aborted";
  case SIGILL:
  case SIGTRAP:
    return "it trapped";
  case SIGFPE:
    return "an arithmetic error";
  default:
    return "an illegal access of memory";
  }
}

void onSignal(int signal, siginfo_t *info, void *context) {
  if (running && !memoryFunctions().areRunning())
    leave(inWords(signal));
  // The signal is for a thread without a guard, or the process cannot continue.
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    if (kSignals[i] != signal)
      continue;
    const struct sigaction before = handlers().before[i];
    if (before.sa_flags & SA_SIGINFO) {
      before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler == SIG_DFL) {
      // A faulting instruction runs again after the handler; a signal that was sent is sent again.
      std::signal(signal, SIG_DFL);
      if (signal == SIGABRT || info->si_code <= 0)
        std::raise(signal);
    } else if (before.sa_handler != SIG_IGN) {
      before.sa_handler(signal);
    }
  }
}

void onFatalError(void *, const char *reason, bool) {
  if (running)
    leave(reason);
}

/// Installs the process's signal handlers during its lifetime.
class HandlerUse {
public:
  HandlerUse() {
    Handlers &all = handlers();
    std::lock_guard lock(all.mutex);
    static bool once = (llvm::install_fatal_error_handler(onFatalError), memoryFunctions(), true);
    (void)once;
    if (all.users++)
      return;
    struct sigaction ours = {};
    ours.sa_sigaction = onSignal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < std::size(kSignals); ++i)
      sigaction(kSignals[i], &ours, &all.before[i]);
  }
  ~HandlerUse() {
    Handlers &all = handlers();
    std::lock_guard lock(all.mutex);
    if (--all.users)
      return;
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction now;
      // Keep a handler that somebody else has installed meanwhile.
      if (!sigaction(kSignals[i], nullptr, &now) && (now.sa_flags & SA_SIGINFO) &&
          now.sa_sigaction == onSignal)
        sigaction(kSignals[i], &all.before[i], nullptr);
    }
  }
  HandlerUse(const HandlerUse &) = delete;
  HandlerUse &operator=(const HandlerUse &) = delete;
};

/// A stack for handlers to run on when the thread's own is full.
class SecondStack {
public:
  SecondStack() {
    stack_t now;
    if (sigaltstack(nullptr, &now) || !(now.ss_flags & SS_DISABLE))
      return;
    memory = std::make_unique<char[]>(kBytes);
    stack_t ours = {};
    ours.ss_sp = memory.get();
    ours.ss_size = kBytes;
    sigaltstack(&ours, nullptr);
  }
  ~SecondStack() {
    if (!memory)
      return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  SecondStack(const SecondStack &) = delete;
  SecondStack &operator=(const SecondStack &) = delete;

private:
  static constexpr size_t kBytes = 1 << 16;
  std::unique_ptr<char[]> memory;
};

class RunningScope {
public:
  explicit RunningScope(Running &work) : stackTrace(llvm::SavePrettyStackState()) {
    work.around = running;
    running = &work;
  }
  ~RunningScope() {
    running = running->around;
    llvm::RestorePrettyStackState(stackTrace);
  }
  RunningScope(const RunningScope &) = delete;
  RunningScope &operator=(const RunningScope &) = delete;

private:
  const void *stackTrace;
};

/// Collects the errors that LLVM reports.
class ErrorCollector : public llvm::DiagnosticHandler {
public:
  ErrorCollector() : DiagnosticHandler(&kTag) {}
  /// The handler of a context, if it is one of these.
  static ErrorCollector *of(llvm::LLVMContext &context) {
    auto *handler = const_cast<llvm::DiagnosticHandler *>(context.getDiagHandlerPtr());
    return handler && handler->DiagnosticContext == &kTag ? static_cast<ErrorCollector *>(handler)
                                                          : nullptr;
  }
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream stream(text);
    if (!text.empty())
      stream << "; ";
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string text;

private:
  static inline char kTag = 0;
};

} // namespace

static std::atomic<unsigned> crashes = 0;
unsigned numCrashes() { return crashes; }

std::optional<std::string> crashOf(llvm::function_ref<void()> work) {
  HandlerUse use;
  SecondStack stack;
  Running state;
  RunningScope scope(state);
  if (sigsetjmp(state.back, /*savemask=*/1)) {
    ++crashes;
    return std::string(state.reason);
  }
  work();
  return std::nullopt;
}

void guarded(const char *stage, llvm::function_ref<void()> work,
             llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (std::optional<std::string> reason = crashOf(work))
    throw crashWith(stage, *reason, print);
}

Crash crashWith(const std::string &stage, const std::string &reason,
                llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text;
  std::optional<std::string> second = crashOf([&] {
    llvm::raw_string_ostream stream(text);
    print(stream);
  });
  return Crash(stage, reason, second ? std::string() : text);
}

std::unique_ptr<llvm::LLVMContext> makeContext() {
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiagnosticHandler(std::make_unique<ErrorCollector>());
  return context;
}

void throwErrors(llvm::LLVMContext &context, const char *stage) {
  ErrorCollector *collector = ErrorCollector::of(context);
  if (collector && !collector->text.empty())
    throw makeError(Diagnostic::CompileFailed,
                    {{"stage", stage}, {"message", std::exchange(collector->text, "")}});
}

} // namespace fairlead::lower
