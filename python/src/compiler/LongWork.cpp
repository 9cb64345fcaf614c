#include "LongWork.h"

#include <cxxabi.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <new>

#include <nanobind/nanobind.h>

namespace fairlead::python {
namespace {

/// How late an interrupt may be seen.
constexpr std::chrono::milliseconds kPatience{50};

struct Job {
  std::function<void()> work;
  std::exception_ptr error;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;

  void run() {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    work = nullptr; // destroy its captures here, since nobody waits
    std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }
  bool waitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, time, [&] { return done; });
  }
};

/// Threads that wait for a job: at most one, since only the main thread has any; a second one comes
/// where an interrupt has left the first one with its job. Leaked, as threads outlive the process's
/// other objects.
class Workers {
public:
  static Workers &get() {
    static Workers &workers = []() -> Workers & {
      // A forked process has none of the threads.
      pthread_atfork(nullptr, nullptr, [] { new (&get()) Workers; });
      return *new Workers;
    }();
    return workers;
  }

  /// False if the system has no thread left.
  bool start(std::shared_ptr<Job> job) {
    std::lock_guard lock(mutex);
    if (!idle && !addThread())
      return false;
    idle = false;
    next = std::move(job);
    changed.notify_one();
    return true;
  }

private:
  void serve() {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return next != nullptr; });
        job = std::move(next);
      }
      job->run();
      job = nullptr;
      std::lock_guard lock(mutex);
      if (std::exchange(idle, true)) // there is another one
        return;
    }
  }

  bool addThread() {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
      return false;
    // Use the stack size of the main thread, so that programs that compile there compile here.
    constexpr size_t kLeast = size_t{8} << 20, kMost = size_t{256} << 20;
    rlimit limit{};
    getrlimit(RLIMIT_STACK, &limit);
    pthread_attr_setstacksize(&attributes, std::clamp<size_t>(limit.rlim_cur, kLeast, kMost));
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // Signals from outside are for the main thread.
    sigset_t blocked, previous;
    sigfillset(&blocked);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
      sigdelset(&blocked, signal);
    pthread_sigmask(SIG_SETMASK, &blocked, &previous);
    pthread_t thread;
    const int failed = pthread_create(
        &thread, &attributes,
        [](void *self) -> void * {
          static_cast<Workers *>(self)->serve();
          return nullptr;
        },
        this);
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    pthread_attr_destroy(&attributes);
    return failed == 0;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<Job> next;
  bool idle = false; ///< a thread waits for `next`
};

/// Only this thread runs handlers of signals.
bool isMainThread() { return syscall(SYS_gettid) == getpid(); }

} // namespace

Released::~Released() {
  // Until Python 3.13, a thread that comes back after the interpreter has ended is unwound, which
  // would end the process here.
  try {
    PyEval_RestoreThread(thread);
  } catch (abi::__forced_unwind &) {
    stopForGood();
  }
}

void doReleased(std::function<void()> work) {
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  if (!isMainThread() || !Workers::get().start(job)) {
    Released meanwhile;
    job->run();
  } else {
    for (;;) {
      bool done = false;
      {
        Released meanwhile;
        done = job->waitFor(kPatience);
      }
      if (done)
        break;
      if (PyErr_CheckSignals() != 0)
        throw nanobind::python_error();
    }
  }
  if (job->error)
    std::rethrow_exception(job->error);
}

} // namespace fairlead::python
