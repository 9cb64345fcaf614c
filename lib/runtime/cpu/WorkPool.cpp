#include "runtime/cpu/WorkPool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/cpu/Ticks.h"

namespace fairlead::cpu {
namespace {

/// std::atomic's wait cannot wake a chosen number of threads.
/// Sleeps while `word` is `value`; may return early, so callers loop.
inline void futexWait(const std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline void futexWake(const std::atomic<uint32_t> &word, uint32_t count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

constexpr uint32_t kOpen = 1u << 31;
constexpr uint32_t kCallerSleeps = 1u << 30;
constexpr uint32_t kInside = kCallerSleeps - 1;

/// The threads never end, so their code must never be unmapped, also when a user closes the library
/// that holds it.
void keepCodeMapped() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&keepCodeMapped), &info) && info.dli_fname)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

} // namespace

// Constant-initialized and trivially alive until the end: usable from static destructors, and a
// fork can never hit it half made.
static constinit WorkPool pool;

WorkPool &WorkPool::get() { return pool; }

uint32_t WorkPool::readWidth() {
  unsigned count = parseThreadCount(std::getenv("FAIRLEAD_NUM_THREADS"), availableCores());
  uint32_t width = count ? count : kInvalidWidth;
  cachedWidth.store(width, std::memory_order_relaxed);
  return width;
}

void WorkPool::share(const RangeJob &work, uint32_t helpers) {
  if (!started)
    startThreads();
  job = work;
  next.store(work.begin, std::memory_order_relaxed);
  helpers = std::min(helpers, numThreads);
  if (helpers > 0) {
    gate.store(kOpen, std::memory_order_release);
    generation.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) > 0)
      futexWake(generation, helpers);
  }
  runChunks();
  if (helpers > 0)
    waitForHelpers();
  busy.store(false, std::memory_order_release);
}

/// Every index is taken; helpers may still be inside a chunk.
void WorkPool::waitForHelpers() {
  uint32_t state = gate.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  uint64_t start = ticks();
  while (state & kInside) {
    if (ticks() - start < shortTicks()) {
      relax();
      state = gate.load(std::memory_order_acquire);
      continue;
    }
    state = gate.fetch_or(kCallerSleeps, std::memory_order_acq_rel) | kCallerSleeps;
    if (state & kInside) {
      futexWait(gate, state);
      state = gate.load(std::memory_order_acquire);
    }
  }
  gate.store(0, std::memory_order_relaxed);
}

bool WorkPool::enter() {
  uint32_t state = gate.load(std::memory_order_relaxed);
  while (state & kOpen)
    if (gate.compare_exchange_weak(state, state + 1, std::memory_order_acquire))
      return true;
  return false;
}

void WorkPool::leave() {
  uint32_t state = gate.fetch_sub(1, std::memory_order_acq_rel) - 1;
  if (state == kCallerSleeps)
    futexWake(gate, 1);
}

void WorkPool::runChunks() {
  // Copy the job: its fields are read-only while anyone is inside, but the atomic next to them is
  // not.
  const RangeJob current = job;
  for (;;) {
    uint64_t from = next.fetch_add(current.chunk, std::memory_order_relaxed);
    if (from >= current.end)
      return;
    current.run(current.data, from, std::min(from + current.chunk, current.end));
  }
}

void WorkPool::startThreads() {
  started = true;
  static std::atomic<bool> prepared{false};
  if (!prepared.exchange(true)) {
    keepCodeMapped();
    pthread_atfork(nullptr, nullptr, &WorkPool::resetInChild);
  }
  // Signals are for the program's own threads.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (uint32_t i = 1, count = width(); i < count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, &WorkPool::threadMain, this) != 0)
      break; // fewer threads than asked still do the work
    pthread_detach(thread);
    ++numThreads;
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void *WorkPool::threadMain(void *self) {
  pthread_setname_np(pthread_self(), "fairlead");
  static_cast<WorkPool *>(self)->work();
  return nullptr;
}

void WorkPool::work() {
  for (uint32_t seen = 0;;) {
    seen = waitForJob(seen);
    if (enter()) {
      runChunks();
      leave();
    }
  }
}

/// Launches come in bursts: stay awake a little before sleeping, as waking costs microseconds.
uint32_t WorkPool::waitForJob(uint32_t seen) {
  for (uint64_t start = ticks(); ticks() - start < 2 * shortTicks(); relax())
    if (uint32_t now = generation.load(std::memory_order_acquire); now != seen)
      return now;
  uint32_t now;
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  while ((now = generation.load(std::memory_order_seq_cst)) == seen)
    futexWait(generation, seen);
  sleepers.fetch_sub(1, std::memory_order_relaxed);
  return now;
}

void WorkPool::resetInChild() {
  pool.started = false;
  pool.numThreads = 0;
  pool.gate.store(0, std::memory_order_relaxed);
  pool.generation.store(0, std::memory_order_relaxed);
  pool.sleepers.store(0, std::memory_order_relaxed);
  pool.busy.store(false, std::memory_order_release);
}

} // namespace fairlead::cpu
