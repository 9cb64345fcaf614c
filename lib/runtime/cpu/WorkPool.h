/// The process's fork-join pool: one job at a time, its indices handed out in chunks.
#pragma once

#include <atomic>
#include <cstdint>

namespace fairlead::cpu {

/// Work over the indices [begin, end): `run(data, from, to)` does a part, on any thread.
struct RangeJob {
  void (*run)(void *data, uint64_t from, uint64_t to);
  void *data;
  uint64_t begin;
  uint64_t end;
  uint64_t chunk; ///< indices taken at once, at least 1
};

/// Threads start at the first job that is shared and sleep between jobs; they are never joined, so
/// the library stays in the process from then on. Whoever finds the pool busy (another thread's
/// launch, or a launch from inside a kernel) works alone, so nothing ever waits for the pool. A
/// forked child has no threads of its parent: it starts its own.
class WorkPool {
public:
  /// width() when FAIRLEAD_NUM_THREADS has a bad value.
  static constexpr uint32_t kInvalidWidth = UINT32_MAX;

  static WorkPool &get();

  /// Threads that take part in a job, the caller's included. Read from the environment once.
  uint32_t width() {
    uint32_t known = cachedWidth.load(std::memory_order_relaxed);
    return known ? known : readWidth();
  }

  /// True when the pool is now this thread's, to share one job.
  bool tryAcquire() {
    return !busy.load(std::memory_order_relaxed) && !busy.exchange(true, std::memory_order_acquire);
  }

  /// Runs the job on this thread and up to `helpers` others, gives the pool back and returns when
  /// all of it is done. Needs tryAcquire.
  void share(const RangeJob &job, uint32_t helpers);

private:
  static void *threadMain(void *);
  static void resetInChild();
  uint32_t readWidth();
  void startThreads();
  void work();
  void runChunks();
  bool enter();
  void leave();
  void waitForHelpers();
  uint32_t waitForJob(uint32_t seen);

  std::atomic<uint32_t> cachedWidth{0};
  std::atomic<bool> busy{false};
  bool started = false;    ///< guarded by busy
  uint32_t numThreads = 0; ///< threads beside callers; guarded by busy

  RangeJob job{}; ///< written while the gate is shut and nobody is inside
  alignas(64) std::atomic<uint64_t> next{0};
  /// Bit 31: a job is open to helpers. Bit 30: its caller sleeps until the last one left. Below:
  /// helpers inside.
  alignas(64) std::atomic<uint32_t> gate{0};
  alignas(64) std::atomic<uint32_t> generation{
      0}; ///< jobs opened so far; what idle threads sleep on
  std::atomic<uint32_t> sleepers{0};
};

/// How many threads run a launch.
constexpr unsigned kMaxThreads = 1024;

/// The threads that `text`, the value of FAIRLEAD_NUM_THREADS, asks for: 1 to kMaxThreads; 0 when
/// it is not such a decimal number. NULL or empty: `cores`.
unsigned parseThreadCount(const char *text, unsigned cores);

/// Cores that this process may run on (its affinity mask), 1 to kMaxThreads.
unsigned availableCores();

} // namespace fairlead::cpu
