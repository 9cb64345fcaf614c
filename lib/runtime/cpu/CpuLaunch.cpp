/// FairleadCpuLaunch: runs all blocks of a grid, on the calling thread if that is quick, otherwise
/// with the work pool.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <vector>

#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "runtime/LaunchShape.h"
#include "runtime/Raise.h"
#include "runtime/Timeline.h"
#include "runtime/Trace.h"
#include "runtime/cpu/BlockThreads.h"
#include "runtime/cpu/Cluster.h"
#include "runtime/cpu/DelayedWork.h"
#include "runtime/cpu/LaunchCheck.h"
#include "runtime/cpu/LaunchObserver.h"
#include "runtime/cpu/Schedule.h"
#include "runtime/cpu/TensorMemory.h"
#include "runtime/cpu/ThreadState.h"
#include "runtime/cpu/Ticks.h"
#include "runtime/cpu/UnstartedClusters.h"
#include "runtime/cpu/WorkPool.h"

namespace fairlead::cpu {
namespace {

/// Dynamic shared memory for the block that a thread runs.
/// Lends the calling thread's arena, 1024-byte aligned, for the scope's lifetime. A nested scope (a
/// launch from inside a kernel) gets memory of its own, so the outer block's data stays. Contents
/// are unspecified, as on a GPU.
class SharedArenaScope {
public:
  explicit SharedArenaScope(size_t bytes) {
    if (bytes)
      acquire(bytes);
  }
  ~SharedArenaScope() {
    if (memory)
      release();
  }
  SharedArenaScope(const SharedArenaScope &) = delete;
  SharedArenaScope &operator=(const SharedArenaScope &) = delete;

  /// NULL when 0 bytes were asked, or the system has no memory.
  void *data() const { return memory; }

private:
  void acquire(size_t bytes);
  void release();

  void *memory = nullptr;
  bool isPrivate = false; ///< allocated for this scope alone
};

constexpr size_t kAlignment = 1024; // what kernels may count on

size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Memory whose addresses have 32 low bits below 256 KiB, as those of shared memory on GPUs:
/// programs put these bits into descriptors beside other fields. Where the system has no such
/// address, any memory.
class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() { free(); }

  void allocate(size_t bytes) {
    free();
    size = kFirst + rounded(bytes);
    void *all = mmap(nullptr, kSpan + size, PROT_NONE, kFlags, -1, 0);
    if (all == MAP_FAILED) {
      begin = std::aligned_alloc(kAlignment, rounded(bytes));
      return;
    }
    const auto low = reinterpret_cast<uintptr_t>(all), end = low + kSpan + size,
               at = (low + kSpan - 1) / kSpan * kSpan;
    munmap(all, at - low);
    munmap(reinterpret_cast<void *>(at + size), end - at - size);
    mapped = reinterpret_cast<char *>(at);
    if (mprotect(mapped, size, PROT_READ | PROT_WRITE) == 0)
      begin = mapped + kFirst;
  }
  void *data() const { return begin; }

private:
  static constexpr uint64_t kSpan = uint64_t{1} << 32;
  static constexpr size_t kFirst = kAlignment; ///< the address 0 is none
  static constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

  void free() {
    if (mapped)
      munmap(mapped, size);
    else
      std::free(begin);
    begin = nullptr;
    mapped = nullptr;
  }

  void *begin = nullptr;
  char *mapped = nullptr; ///< null for memory of the C library
  size_t size = 0;
};

struct Arena {
  Memory memory;
  size_t capacity = 0;
  bool lent = false;
};

thread_local Arena arena;

void SharedArenaScope::acquire(size_t bytes) {
  if (arena.lent) {
    memory = std::aligned_alloc(kAlignment, rounded(bytes));
    isPrivate = true;
    return;
  }
  if (arena.capacity < bytes) {
    arena.memory.allocate(bytes);
    arena.capacity = arena.memory.data() ? bytes : 0;
  }
  memory = arena.memory.data();
  arena.lent = memory != nullptr;
}

void SharedArenaScope::release() {
  if (isPrivate)
    std::free(memory);
  else
    arena.lent = false;
}

/// The cost of a block in each kernel's last run, which separates small launches from ones worth
/// sharing. A lossy table: kernels whose addresses fall on one slot overwrite each other, which
/// costs time on a wrong guess and nothing else.
class CostHistory {
public:
  /// Ticks of one block of the kernel at `address`; 0 when not known.
  uint32_t ticksPerBlock(const void *address) const {
    uint64_t entry = slot(address).load(std::memory_order_relaxed);
    return tag(address) == static_cast<uint32_t>(entry >> 32) ? static_cast<uint32_t>(entry) : 0;
  }

  void record(const void *address, uint64_t ticks, uint64_t blocks) {
    uint64_t each = std::clamp<uint64_t>(ticks / blocks, 1, UINT32_MAX);
    uint64_t entry = uint64_t(tag(address)) << 32 | each;
    // Storing only what changed much keeps the line shared between threads.
    uint32_t known = ticksPerBlock(address);
    if (known == 0 || each > known + known / 4 || each + each / 4 < known)
      slot(address).store(entry, std::memory_order_relaxed);
  }

private:
  static constexpr size_t kSlots = 256;

  static uint64_t hash(const void *address) {
    return (reinterpret_cast<uintptr_t>(address) >> 4) * 0x9E3779B97F4A7C15u;
  }
  static uint32_t tag(const void *address) { return static_cast<uint32_t>(hash(address)) | 1; }
  std::atomic<uint64_t> &slot(const void *address) { return slots[hash(address) >> 56]; }
  const std::atomic<uint64_t> &slot(const void *address) const {
    return slots[hash(address) >> 56];
  }

  std::atomic<uint64_t> slots[kSlots] = {};
};

namespace trace = runtime::trace;

constinit CostHistory history;
constinit std::atomic<MakeObserver> makeObserver = nullptr;

class GridRun {
public:
  GridRun(FairleadCpuKernel kernel, void *const *params, const FairleadLaunch &launch,
          uint64_t blocks, LaunchObserver *observer, const std::string *traced)
      : kernel(kernel), params(params), launch(launch), blocks(blocks), observer(observer),
        traced(traced) {}

  /// False when there was no shared memory for some block.
  bool run(WorkPool &pool) {
    if (runtime::hasCluster(launch))
      runClusters(pool);
    else if (blocks > 1 && (launch.flags & kFairleadLaunchCooperative))
      runTogether();
    else if (Schedule schedule(launch); schedule)
      runScheduled(schedule);
    else if (blocks == 1 || pool.width() == 1 || (launch.flags & kFairleadLaunchShadowed))
      runBlocks(0, blocks);
    else
      runMany(pool);
    return !outOfMemory.load(std::memory_order_relaxed);
  }

private:
  static void runPart(void *self, uint64_t from, uint64_t to) {
    static_cast<GridRun *>(self)->runBlocks(from, to);
  }

  /// Runs blocks that may wait for each other, each in a thread of the system.
  void runTogether() {
    onThreads(blocks, [&](uint64_t block) { runBlocks(block, block + 1); });
  }

  /// Runs `body` with each number, on a separate thread. They start after all threads have been
  /// created, because the others would wait forever for a block without a thread.
  template <typename Body> static void onThreads(uint64_t number, const Body &body) {
    enum Start { Waits, Goes, Stops };
    std::atomic<Start> start = Waits;
    std::vector<std::jthread> threads;
    auto tell = [&](Start what) {
      start.store(what, std::memory_order_release);
      start.notify_all();
    };
    try {
      for (uint64_t each = 0; each < number; ++each)
        threads.emplace_back([&, each] {
          start.wait(Waits, std::memory_order_acquire);
          if (start.load(std::memory_order_acquire) == Goes)
            body(each);
        });
    } catch (...) {
      tell(Stops);
      threads.clear();
      throw;
    }
    tell(Goes);
  }

  /// Blocks of a cluster also wait for each other; clusters do so if the launch is cooperative.
  void runClusters(WorkPool &pool) {
    const uint64_t size =
        uint64_t(clusterExtent(launch, 0)) * clusterExtent(launch, 1) * clusterExtent(launch, 2);
    const uint64_t number = blocks / size;
    Schedule schedule(launch);
    const uint64_t teams = launch.flags & kFairleadLaunchCooperative ? number
                           : schedule || launch.flags & kFairleadLaunchShadowed
                               ? 1
                               : std::min<uint64_t>(number, pool.width());
    std::deque<Cluster> clusters;
    for (uint64_t team = 0; team < teams; ++team)
      if (!clusters.emplace_back(size, static_cast<size_t>(launch.shared_bytes)).hasMemory())
        return outOfMemory.store(true, std::memory_order_relaxed);
    std::vector<size_t> order;
    if (schedule)
      order = schedule.order(number);
    for (uint64_t team = 0; team < teams; ++team)
      clusters[team].unstarted = {&launch, team, number, teams, order.empty() ? nullptr : &order};
    onThreads(teams * size, [&](uint64_t thread) {
      const uint64_t team = thread / size, rank = thread % size;
      Cluster &cluster = clusters[team];
      ThreadState &state = ThreadState::own();
      RunningLaunchScope running(state, {&failure, observer});
      runtime::timeline::LaunchScope numbered(launchNumber);
      state.place = {&cluster, rank};
      for (bool runs = true; runs;) {
        cluster.begin(rank);
        if (rank == 0)
          cluster.current = cluster.unstarted.take();
        runs = cluster.current.has_value();
        if (runs && !failure.any())
          runInCluster(*cluster.current, rank, cluster);
        cluster.end(rank);
      }
    });
  }

  void runInCluster(uint64_t number, uint64_t rank, const Cluster &cluster) {
    std::jmp_buf stopped;
    AssertionScope assertions(ThreadState::own(), &stopped);
    if ((launch.flags & kFairleadLaunchAssertions) && setjmp(stopped))
      return;
    const std::array<int32_t, 3> first = firstBlockOf(launch, number);
    int32_t index[3];
    uint64_t place = rank;
    for (int d = 0; d < 3; ++d) {
      const auto extent = static_cast<uint64_t>(clusterExtent(launch, d));
      index[d] = first[static_cast<size_t>(d)] + static_cast<int32_t>(place % extent);
      place /= extent;
    }
    char *shared = launch.shared_bytes ? cluster.sharedOf(rank) : nullptr;
    if (observer)
      observer->beginBlock({{index[0], index[1], index[2]},
                            shared,
                            number,
                            rank,
                            cluster.size(),
                            cluster.bytesApart()});
    kernel(params, &launch, index[0], index[1], index[2], shared);
    endTensorMemory(index);
    if (observer) {
      observer->endBlock();
      observer->endClusterBlock();
    }
  }

  /// A block at a time. An order of more is not kept: blocks far apart then come one after the
  /// other.
  void runScheduled(const Schedule &schedule) {
    constexpr uint64_t kMost = uint64_t{1} << 20;
    const uint64_t parts = std::min(blocks, kMost);
    for (uint64_t from = 0; from < blocks; from += parts) {
      const uint64_t number = std::min(parts, blocks - from);
      for (size_t block : schedule.order(number, from))
        runBlocks(from + block, from + block + 1);
    }
  }

  const void *key() const { return reinterpret_cast<const void *>(kernel); }

  void runBlocks(uint64_t from, uint64_t to) { runBlocks(from, to, to); }

  /// Runs blocks [from, to) on this thread, which may take over those before `limit`. Returns the
  /// first block that is left.
  uint64_t runBlocks(uint64_t from, uint64_t to, uint64_t limit) {
    if (!traced) [[likely]]
      return runAll(from, to, limit);
    int64_t start = trace::now();
    const uint64_t left = runAll(from, to, limit);
    trace::addBlocks(traced, from, left, start);
    return left;
  }

  uint64_t runAll(uint64_t from, uint64_t to, uint64_t limit) {
    ThreadState &thread = ThreadState::own();
    UnstartedClusters unstarted{&launch, from, limit};
    std::jmp_buf stopped;
    RunningLaunchScope running(thread, {&failure, observer, &stopped, &unstarted});
    runtime::timeline::LaunchScope numbered(launchNumber);
    SharedArenaScope arena(static_cast<size_t>(launch.shared_bytes));
    if (launch.shared_bytes > 0 && !arena.data()) {
      outOfMemory.store(true, std::memory_order_relaxed);
      return to;
    }
    dropTensorMemory(thread);
    const bool asserts = launch.flags & kFairleadLaunchAssertions;
    if (asserts && (failure.any() || setjmp(stopped)))
      return to;
    return observer ? runInOrder<true>(thread, to, static_cast<char *>(arena.data()))
                    : runInOrder<false>(thread, to, static_cast<char *>(arena.data()));
  }

  /// Runs the blocks from the first unstarted one. Not inlined: a function that calls setjmp keeps
  /// its variables in memory.
  template <bool isObserved>
  [[gnu::noinline]] uint64_t runInOrder(const ThreadState &thread, uint64_t to, char *shared) {
    UnstartedClusters &unstarted = *thread.launch.unstarted;
    uint64_t number = unstarted.next;
    for (auto [x, y, z] = firstBlockOf(launch, number); number < to;) {
      unstarted.next = ++number;
      if constexpr (isObserved)
        observer->beginBlock({{x, y, z}, shared});
      kernel(params, &launch, x, y, z, shared);
      if constexpr (isObserved)
        observer->endBlock();
      if (thread.usesTensorMemory) [[unlikely]]
        endTensors(x, y, z);
      if (number != unstarted.next) [[unlikely]] {
        const std::array<int32_t, 3> taken = firstBlockOf(launch, number = unstarted.next);
        x = taken[0], y = taken[1], z = taken[2];
      } else if (++x == launch.grid[0]) {
        x = 0;
        if (++y == launch.grid[1]) {
          y = 0;
          ++z;
        }
      }
    }
    return number;
  }

  /// Keeps the loop's numbers in registers, where an array of them would be in memory.
  [[gnu::noinline]] static void endTensors(int32_t x, int32_t y, int32_t z) {
    endTensorMemory({x, y, z});
  }

  /// Waking others costs more than a short launch, and how long a block takes is known only once
  /// one ran. So a launch that is not known to be long starts alone and is shared when it turns out
  /// to be.
  void runMany(WorkPool &pool) {
    const uint64_t allowance = shortTicks();
    uint64_t each = history.ticksPerBlock(key());
    uint64_t done = 0;
    if (each == 0 || blocks < allowance / each) {
      done = runAlone(0, allowance);
      if (done == blocks)
        return;
      each = history.ticksPerBlock(key());
    }
    while (done < blocks) {
      if (pool.tryAcquire())
        return share(pool, done, each);
      // The pool is busy with another launch: go on alone for a while, then look again.
      done = runAlone(done, 4 * allowance);
    }
  }

  /// Runs blocks from `done` on for about `allowance` ticks, in growing batches; returns the first
  /// not run.
  uint64_t runAlone(uint64_t done, uint64_t allowance) {
    const uint64_t first = done;
    const uint64_t start = ticks();
    uint64_t elapsed = 0;
    for (uint64_t batch = 1; done < blocks && elapsed < allowance;) {
      batch = std::min(batch, blocks - done);
      done = runBlocks(done, done + batch, blocks);
      elapsed = ticks() - start;
      if (elapsed >= allowance)
        break;
      uint64_t pace = elapsed / (done - first) + 1;
      batch = std::clamp<uint64_t>((allowance - elapsed) / pace, 1, 3 * (done - first));
    }
    history.record(key(), elapsed, done - first);
    return done;
  }

  void share(WorkPool &pool, uint64_t done, uint64_t each) {
    const uint64_t left = blocks - done;
    const uint64_t width = pool.width();
    const uint64_t chunk = std::max<uint64_t>(1, left / (width * 16));
    // A helper is worth waking for a few microseconds of work at least.
    uint64_t helpers = std::min(width - 1, (left - 1) / chunk);
    uint64_t work;
    if (helpers > 0 && each && !__builtin_mul_overflow(left, each, &work))
      helpers = std::clamp<uint64_t>(work / (shortTicks() / 4), 1, helpers);
    const uint64_t start = ticks();
    pool.share({&runPart, this, done, blocks, chunk}, static_cast<uint32_t>(helpers));
    // All threads were busy from start to end, or nearly.
    uint64_t spent;
    if (!__builtin_mul_overflow(ticks() - start, helpers + 1, &spent))
      history.record(key(), spent, left);
  }

  const FairleadCpuKernel kernel;
  void *const *const params;
  const FairleadLaunch &launch;
  const uint64_t blocks;
  LaunchObserver *const observer;  ///< null without checks
  const std::string *const traced; ///< the kernel's name; null where nothing is recorded
  const uint64_t launchNumber = runtime::timeline::beginLaunch();
  std::atomic<bool> outOfMemory{false};

public:
  BlockFailure failure; ///< threads that wait in vain
};

void raiseThreadCount(FairleadCallContext *context) {
  const char *text = std::getenv("FAIRLEAD_NUM_THREADS");
  runtime::raise(context, Diagnostic::ThreadCount,
                 {{"expected", std::to_string(kMaxThreads)}, {"got", text ? text : ""}});
}

/// Returns false, and raises the error, for a wrong FAIRLEAD_CPU_ASYNC.
bool requireAsyncMode(FairleadCallContext *context) {
  if (AsyncMode::ofEnvironment()) [[likely]]
    return true;
  const char *value = std::getenv("FAIRLEAD_CPU_ASYNC");
  const std::string text = "Invalid value of the environment variable FAIRLEAD_CPU_ASYNC, expected "
                           "eager, late or random:SEED, but got `" +
                           std::string(value ? value : "") + "`";
  context->status = -1;
  TVMFFIErrorSetRaisedFromCStr("ValueError", text.c_str());
  return false;
}

void launchGrid(FairleadCallContext *context, const char *kernelName, FairleadCpuKernel kernel,
                void *const *params, const FairleadLaunch &launch) {
  int64_t blocks = countBlocks(context, kernelName, launch);
  if (blocks <= 0)
    return;
  WorkPool &pool = WorkPool::get();
  if (pool.width() == WorkPool::kInvalidWidth) [[unlikely]]
    return raiseThreadCount(context);
  if (!requireAsyncMode(context)) [[unlikely]]
    return;
  std::unique_ptr<LaunchObserver> observer;
  if (launch.flags & kFairleadLaunchChecked)
    if (MakeObserver make = makeObserver.load(std::memory_order_acquire))
      observer = make(kernelName, launch);
  const std::string *traced = trace::isOn() ? trace::intern(kernelName) : nullptr;
  int64_t start = traced ? trace::now() : 0;
  GridRun grid(kernel, params, launch, static_cast<uint64_t>(blocks), observer.get(), traced);
  bool hadMemory = grid.run(pool);
  if (traced) [[unlikely]]
    trace::addLaunch(traced, launch, true, 0, start);
  const BlockFailure &failure = grid.failure;
  if (observer && observer->raiseStop()) [[unlikely]]
    context->status = -1;
  else if (!failure.assertion.empty()) [[unlikely]]
    runtime::raise(
        context, Diagnostic::AssertionFailed,
        {{"message", failure.assertion}, {"block", failure.block}, {"kernel", kernelName}});
  else if (!failure.wrongAccess.text.empty()) [[unlikely]]
    runtime::raise(context, failure.wrongAccess);
  else if (!failure.tensorMemory.empty()) [[unlikely]]
    runtime::raise(
        context, Diagnostic::TensorMemoryUse,
        {{"message", failure.tensorMemory}, {"block", failure.block}, {"kernel", kernelName}});
  else if (!hadMemory || (failure.any() && failure.waiting.empty())) [[unlikely]]
    runtime::raise(context, Diagnostic::LaunchOutOfMemory,
                   {{"kernel", kernelName}, {"expected", std::to_string(launch.shared_bytes)}});
  else if (observer && observer->tellFindings(context, failure.any()))
    return;
  else if (failure.any()) [[unlikely]]
    runtime::raise(
        context, Diagnostic::ThreadsWait,
        {{"kernel", kernelName}, {"block", failure.block}, {"waiting", failure.waiting}});
}

} // namespace

MakeObserver observeLaunchesWith(MakeObserver make) {
  return makeObserver.exchange(make, std::memory_order_acq_rel);
}

} // namespace fairlead::cpu

void FairleadCpuLaunch(FairleadCallContext *context, const char *kernel_name,
                       FairleadCpuKernel kernel, void *const *params,
                       const FairleadLaunch *launch) {
  if (context->status != 0)
    return;
  try {
    fairlead::cpu::launchGrid(context, kernel_name, kernel, params, *launch);
  } catch (const std::exception &failure) { // no memory for an error's text
    context->status = -1;
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
  }
}
