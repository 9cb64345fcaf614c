#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "fairlead/Runtime.h"
#include "fairlead/Trace.h"
#include "runtime/RaisedError.h"
#include "runtime/cpu/WorkPool.h"

namespace {

using fairlead::test::takeRaised;

FairleadLaunch makeLaunch(int32_t x, int32_t y = 1, int32_t z = 1) {
  return {.grid = {x, y, z},
          .block = {1, 1, 1},
          .cluster = {0, 0, 0},
          .shared_bytes = 0,
          .has_stream = 0,
          .flags = 0,
          .stream = nullptr};
}

FairleadCallContext makeContext() { return {0, kDLCPU, 0, 0}; }

void spin(std::chrono::microseconds time) {
  auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end)
    ;
}

/// Counts the runs of each block; parameter 0 points at the counters, 1 at the microseconds of a
/// block.
void countBlock(void *const *params, const FairleadLaunch *launch, int32_t x, int32_t y, int32_t z,
                void *shared) {
  EXPECT_EQ(shared, nullptr);
  auto *counters = *static_cast<std::atomic<int> **>(params[0]);
  size_t index = (size_t(z) * launch->grid[1] + y) * launch->grid[0] + x;
  if (int time = *static_cast<int *>(params[1]))
    spin(std::chrono::microseconds(time));
  counters[index].fetch_add(1, std::memory_order_relaxed);
}

/// Launches countBlock and returns how many blocks did not run exactly once.
size_t miscounted(int32_t x, int32_t y, int32_t z, int microseconds) {
  size_t blocks = size_t(x) * y * z;
  std::unique_ptr<std::atomic<int>[]> counters(new std::atomic<int>[blocks]());
  std::atomic<int> *pointer = counters.get();
  void *params[] = {&pointer, &microseconds};
  FairleadCallContext context = makeContext();
  FairleadLaunch launch = makeLaunch(x, y, z);
  FairleadCpuLaunch(&context, "count", countBlock, params, &launch);
  EXPECT_EQ(context.status, 0);
  size_t wrong = 0;
  for (size_t i = 0; i < blocks; ++i)
    wrong += counters[i].load() != 1;
  return wrong;
}

TEST(CpuLaunch, RunsEachBlockOnce) {
  for (auto [x, y, z] : std::vector<std::array<int, 3>>{
           {1, 1, 1}, {2, 1, 1}, {3, 5, 7}, {1, 1, 17}, {1, 13, 1}, {1023, 3, 1}, {100003, 1, 1}})
    EXPECT_EQ(miscounted(x, y, z, 0), 0u) << x << "x" << y << "x" << z;
}

TEST(CpuLaunch, RunsEachSlowBlockOnce) {
  // Slow blocks are shared with the pool; the second and third round find their cost in the
  // history.
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(miscounted(7, 3, 5, 30), 0u);
    EXPECT_EQ(miscounted(2, 1, 1, 200), 0u);
  }
}

void noteThread(void *const *params, const FairleadLaunch *, int32_t, int32_t, int32_t, void *) {
  struct Seen {
    std::mutex mutex;
    std::set<std::thread::id> ids;
  };
  auto *seen = static_cast<Seen *>(params[0]);
  spin(std::chrono::microseconds(500));
  std::lock_guard lock(seen->mutex);
  seen->ids.insert(std::this_thread::get_id());
}

TEST(CpuLaunch, UsesSeveralThreads) {
  if (fairlead::cpu::WorkPool::get().width() < 2)
    GTEST_SKIP() << "one thread only";
  struct {
    std::mutex mutex;
    std::set<std::thread::id> ids;
  } seen;
  void *params[] = {&seen};
  FairleadCallContext context = makeContext();
  FairleadLaunch launch = makeLaunch(200);
  FairleadCpuLaunch(&context, "note", noteThread, params, &launch);
  EXPECT_GE(seen.ids.size(), 2u);
  EXPECT_LE(seen.ids.size(), fairlead::cpu::WorkPool::get().width());
}

TEST(CpuLaunch, OneBlockStaysOnTheCaller) {
  struct {
    std::mutex mutex;
    std::set<std::thread::id> ids;
  } seen;
  void *params[] = {&seen};
  FairleadCallContext context = makeContext();
  FairleadLaunch launch = makeLaunch(1);
  for (int i = 0; i < 5; ++i)
    FairleadCpuLaunch(&context, "note", noteThread, params, &launch);
  EXPECT_EQ(seen.ids, std::set{std::this_thread::get_id()});
}

/// Launches countBlock over the counters of its own block from inside a kernel.
void launchInside(void *const *params, const FairleadLaunch *, int32_t x, int32_t, int32_t,
                  void *) {
  int32_t each = 50;
  int time = 5;
  std::atomic<int> *mine = *static_cast<std::atomic<int> **>(params[0]) + x * each;
  void *inner[] = {&mine, &time};
  FairleadCallContext context = makeContext();
  FairleadLaunch launch = makeLaunch(each);
  FairleadCpuLaunch(&context, "inner", countBlock, inner, &launch);
  EXPECT_EQ(context.status, 0);
}

TEST(CpuLaunch, NestsWithoutDeadlock) {
  constexpr int kOuter = 40;
  for (int round = 0; round < 3; ++round) {
    std::unique_ptr<std::atomic<int>[]> counters(new std::atomic<int>[kOuter * 50]());
    std::atomic<int> *pointer = counters.get();
    void *params[] = {&pointer};
    FairleadCallContext context = makeContext();
    FairleadLaunch launch = makeLaunch(kOuter);
    FairleadCpuLaunch(&context, "outer", launchInside, params, &launch);
    for (int i = 0; i < kOuter * 50; ++i)
      ASSERT_EQ(counters[i].load(), 1) << i;
  }
}

TEST(CpuLaunch, ServesEightThreadsAtOnce) {
  std::atomic<size_t> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i)
        wrong += miscounted(1 + (t * 37 + i * 11) % 300, 1 + i % 3, 1, (t + i) % 4);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong.load(), 0u);
}

/// Exit status of `body` in a forked child; -1 when it does not end within ten seconds.
template <typename Body> int exitStatusOfChild(Body &&body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  for (int i = 0; i < 1000; ++i) {
    int status;
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
    usleep(10000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

// ThreadSanitizer cannot follow a forked child that starts threads.
#ifdef __SANITIZE_THREAD__
#define SKIP_FORK_UNDER_TSAN() GTEST_SKIP() << "ThreadSanitizer does not know threads after a fork"
#else
#define SKIP_FORK_UNDER_TSAN() (void)0
#endif

TEST(CpuLaunch, WorksInAForkedChild) {
  SKIP_FORK_UNDER_TSAN();
  ASSERT_EQ(miscounted(100, 1, 1, 30), 0u); // the pool's threads exist
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(exitStatusOfChild([] { return miscounted(100, 1, 1, 30) == 0 ? 0 : 1; }), 0);
  EXPECT_EQ(miscounted(100, 1, 1, 30), 0u);
}

TEST(CpuLaunch, ForkWhileTheParentLaunches) {
  SKIP_FORK_UNDER_TSAN();
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop)
      EXPECT_EQ(miscounted(100, 1, 1, 10), 0u);
  });
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(exitStatusOfChild([] { return miscounted(100, 1, 1, 20) == 0 ? 0 : 1; }), 0);
  stop = true;
  busy.join();
}

void failingKernel(void *const *, const FairleadLaunch *, int32_t, int32_t, int32_t, void *) {
  ADD_FAILURE() << "the kernel ran";
}

/// The error of a launch that must not run.
fairlead::test::RaisedError errorOf(FairleadLaunch launch) {
  FairleadCallContext context = makeContext();
  FairleadCpuLaunch(&context, "k", failingKernel, nullptr, &launch);
  EXPECT_EQ(context.status, -1);
  return takeRaised();
}

TEST(CpuLaunch, ZeroExtentDoesNothing) {
  for (int axis = 0; axis < 3; ++axis) {
    FairleadLaunch launch = makeLaunch(3, 3, 3);
    launch.grid[axis] = 0;
    FairleadCallContext context = makeContext();
    FairleadCpuLaunch(&context, "k", failingKernel, nullptr, &launch);
    EXPECT_EQ(context.status, 0);
    EXPECT_EQ(takeRaised().kind, "");
  }
}

TEST(CpuLaunch, FailedCallLaunchesNothing) {
  FairleadCallContext context = makeContext();
  context.status = -1;
  FairleadLaunch launch = makeLaunch(1);
  FairleadCpuLaunch(&context, "k", failingKernel, nullptr, &launch);
  EXPECT_EQ(takeRaised().kind, "");
}

TEST(CpuLaunch, RejectsNegativeGrid) {
  auto error = errorOf(makeLaunch(4, -2, 0));
  EXPECT_EQ(error.kind, "ValueError");
  EXPECT_EQ(error.message,
            "Invalid grid when launching `k`, expected extents of 0 or more, but got "
            "(4, -2, 0)");
}

TEST(CpuLaunch, RejectsTooManyBlocks) {
  auto error = errorOf(makeLaunch(INT32_MAX, INT32_MAX, INT32_MAX));
  EXPECT_EQ(error.kind, "ValueError");
  EXPECT_NE(error.message.find("expected at most 2305843009213693952 blocks"), std::string::npos)
      << error.message;
}

TEST(CpuLaunch, RejectsBadBlocks) {
  for (auto [x, y, z] : std::vector<std::array<int32_t, 3>>{{0, 1, 1},
                                                            {1025, 1, 1},
                                                            {32, 33, 1},
                                                            {-1, -1, 1},
                                                            {65536, 65536, 65536},
                                                            {1, 1, INT32_MIN}}) {
    FairleadLaunch launch = makeLaunch(1);
    launch.block[0] = x, launch.block[1] = y, launch.block[2] = z;
    auto error = errorOf(launch);
    EXPECT_EQ(error.kind, "ValueError");
    EXPECT_EQ(error.message,
              "Invalid block when launching `k`, expected 1 to 1024 threads, but got (" +
                  std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")");
  }
}

TEST(CpuLaunch, RejectsClusters) {
  FairleadLaunch launch = makeLaunch(5);
  launch.cluster[0] = 2, launch.cluster[1] = launch.cluster[2] = 1;
  auto error = errorOf(launch);
  EXPECT_EQ(error.kind, "ValueError");
  EXPECT_EQ(error.message, "Invalid cluster when launching `k`, expected extents that divide those "
                           "of the grid, (5, 1, 1), but got (2, 1, 1)");
  launch = makeLaunch(8, 4);
  launch.cluster[0] = 8, launch.cluster[1] = 4, launch.cluster[2] = 1;
  EXPECT_EQ(errorOf(launch).message, "Invalid cluster when launching `k`, expected at most 16 "
                                     "blocks, but got (8, 4, 1)");
  launch.cluster[2] = 0;
  EXPECT_EQ(errorOf(launch).message, "Invalid cluster when launching `k`, expected extents of 1 "
                                     "or more, but got (8, 4, 0)");
  launch.cluster[0] = 0, launch.cluster[1] = launch.cluster[2] = 1;
  EXPECT_EQ(errorOf(launch).message, "Invalid cluster when launching `k`, expected extents of 1 "
                                     "or more, but got (0, 1, 1)");
}

TEST(CpuLaunch, RejectsNegativeSharedMemory) {
  FairleadLaunch launch = makeLaunch(1);
  launch.shared_bytes = -8;
  EXPECT_EQ(
      errorOf(launch).message,
      "Invalid shared memory when launching `k`, expected 0 or more bytes per block, but got -8");
}

/// Fills its shared memory with a pattern of its own, waits, and checks it.
void useShared(void *const *params, const FairleadLaunch *launch, int32_t x, int32_t, int32_t,
               void *shared) {
  auto *wrong = static_cast<std::atomic<int> *>(params[0]);
  if (reinterpret_cast<uintptr_t>(shared) % 64 != 0)
    ++*wrong;
  auto *bytes = static_cast<unsigned char *>(shared);
  std::memset(bytes, x & 255, launch->shared_bytes);
  spin(std::chrono::microseconds(20));
  for (int i = 0; i < launch->shared_bytes; ++i)
    if (bytes[i] != (x & 255)) {
      ++*wrong;
      break;
    }
}

TEST(CpuLaunch, GivesEachBlockSharedMemory) {
  for (int32_t bytes : {1, 64, 1000, 49152, 300000, 7}) {
    std::atomic<int> wrong{0};
    void *params[] = {&wrong};
    FairleadCallContext context = makeContext();
    FairleadLaunch launch = makeLaunch(150);
    launch.shared_bytes = bytes;
    FairleadCpuLaunch(&context, "shared", useShared, params, &launch);
    EXPECT_EQ(context.status, 0);
    EXPECT_EQ(wrong.load(), 0) << bytes;
  }
}

void nestShared(void *const *params, const FairleadLaunch *launch, int32_t x, int32_t, int32_t,
                void *shared) {
  std::memset(shared, 0xAB, launch->shared_bytes);
  FairleadCallContext context = makeContext();
  FairleadLaunch inner = makeLaunch(4);
  inner.shared_bytes = launch->shared_bytes * 2 + x;
  FairleadCpuLaunch(&context, "inner", useShared, params, &inner);
  for (int i = 0; i < launch->shared_bytes; ++i)
    if (static_cast<unsigned char *>(shared)[i] != 0xAB) {
      ++*static_cast<std::atomic<int> *>(params[0]);
      break;
    }
}

TEST(CpuLaunch, NestedSharedMemoryIsSeparate) {
  std::atomic<int> wrong{0};
  void *params[] = {&wrong};
  FairleadCallContext context = makeContext();
  FairleadLaunch launch = makeLaunch(30);
  launch.shared_bytes = 4096;
  FairleadCpuLaunch(&context, "outer", nestShared, params, &launch);
  EXPECT_EQ(wrong.load(), 0);
}

/// Block 37 finds something wrong; each block counts itself before and after.
void assertingBlock(void *const *params, const FairleadLaunch *, int32_t x, int32_t y, int32_t z,
                    void *) {
  auto *counters = *static_cast<std::atomic<int> **>(params[0]);
  counters[0].fetch_add(1);
  if (x == 37)
    FairleadCpuAssert("x is 37 (k.py:3)", x, y, z);
  counters[1].fetch_add(1);
}

TEST(CpuAssert, EndsTheLaunch) {
  std::atomic<int> counters[2] = {};
  std::atomic<int> *pointer = counters;
  void *params[] = {&pointer};
  FairleadLaunch launch = makeLaunch(100000);
  launch.flags = kFairleadLaunchAssertions;
  FairleadCallContext context = makeContext();
  FairleadCpuLaunch(&context, "device", assertingBlock, params, &launch);
  EXPECT_EQ(context.status, -1);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "AssertionError");
  EXPECT_EQ(error.message, "x is 37 (k.py:3), in block (37, 0, 0) of `device`");
  EXPECT_EQ(counters[0], counters[1] + 1);
  EXPECT_LT(counters[0], 100000);
  // The next launch is not affected.
  counters[0] = counters[1] = 0;
  launch.grid[0] = 30;
  context = makeContext();
  FairleadCpuLaunch(&context, "device", assertingBlock, params, &launch);
  EXPECT_EQ(context.status, 0);
  EXPECT_EQ(counters[1], 30);
}

/// Writes nothing.
void doNothing(void *const *, const FairleadLaunch *, int32_t, int32_t, int32_t, void *) {}

TEST(CpuLaunch, RecordsLaunchesWhenAsked) {
  FairleadTraceTake();
  auto launch = makeLaunch(3, 2);
  auto run = [&](const char *name) {
    auto context = makeContext();
    FairleadCpuLaunch(&context, name, doNothing, nullptr, &launch);
    EXPECT_EQ(context.status, 0);
  };
  run("unseen");
  FairleadTraceRecord(1);
  run("a \"name\"\n");
  FairleadTraceRecord(0);
  run("unseen");
  std::string text = FairleadTraceTake();
  auto has = [&](const char *part) { return text.find(part) != std::string::npos; };
  EXPECT_FALSE(has("unseen")) << text;
  EXPECT_TRUE(has("\"name\": \"a \\\"name\\\"\\u000a\", \"cat\": \"launch\", \"ph\": \"X\""))
      << text;
  EXPECT_TRUE(has("\"device\": \"cpu\", \"grid\": \"(3, 2, 1)\", \"block\": \"(1, 1, 1)\""))
      << text;
  EXPECT_TRUE(has("\"cat\": \"blocks\"")) << text;
  EXPECT_STREQ(FairleadTraceTake(), "[]");
}

} // namespace
