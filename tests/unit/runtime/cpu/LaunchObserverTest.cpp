/// The events that a launch passes to its observer.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "runtime/RaisedError.h"
#include "runtime/cpu/LaunchObserver.h"

using namespace fairlead::cpu;

namespace {

std::vector<std::string> events;
std::vector<std::string> ends; ///< of threads and blocks
bool findsSomething = false;

/// Notes its events; takes part in nothing else.
class Recorder final : public LaunchObserver {
public:
  explicit Recorder(bool seesThreads) : LaunchObserver(seesThreads) { events = {"launch"}; }
  ~Recorder() override { events.push_back("gone"); }

  void beginBlock(const ObservedBlock &block) override {
    events.push_back("block " + std::to_string(block.index[0]) +
                     (block.shared ? " with shared memory" : ""));
  }
  void endClusterBlock() override { events.push_back("end"); }
  void endBlock() override { ends.push_back("block"); }
  void endThread(uint32_t thread) override { ends.push_back("thread " + std::to_string(thread)); }
  void meet(const std::vector<WaitingThread> &lanes, const WarpMeeting &) override {
    note("meet", lanes.size());
  }
  void readAbsentLane(const WaitingThread &, const std::string &what) override {
    events.push_back("absent: " + what);
  }
  void arriveAtBarrier(const BarrierThread &thread) override { note("arrive", thread.barrier); }
  void leaveBarrier(const std::vector<BarrierThread> &threads, size_t arrived,
                    size_t expected) override {
    note("leave", threads.size());
    note("arrived", arrived);
    note("expected", expected);
  }
  void arriveAtCluster(uint32_t thread) override { note("arrive at cluster", thread); }
  void openCluster() override { events.push_back("open"); }
  void passCluster(uint32_t thread) override { note("pass cluster", thread); }
  void deadlock(const std::vector<WaitingThread> &waiting, const std::string &) override {
    note("deadlock", waiting.size());
  }
  void readByProduct(const char *, size_t) override {}
  void readByTensorProduct(const char *, size_t, size_t) override {}
  void useTensorMemory(const TensorCells &) override {}
  bool misuseTensorMemory(const std::string &) override { return false; }
  void reserveTensorMemory() override {}
  bool keepTensorMemory(const std::string &) override { return false; }
  void refuseCluster() override {}
  void readByStore(const char *, size_t) override {}
  void storeValues(const char *, size_t) override {}
  void endIssue() override {}
  ValueObserver *values() override { return nullptr; }
  bool raiseStop() override { return false; }
  bool tellFindings(FairleadCallContext *context, bool isStuck) override {
    events.push_back(isStuck ? "stuck" : "findings");
    if (findsSomething)
      context->status = -1;
    return findsSomething;
  }

private:
  static void note(const char *what, size_t number) {
    events.push_back(what + (" " + std::to_string(number)));
  }
};

class ObservedLaunch : public testing::Test {
protected:
  /// Only launches of this test are observed by recorders.
  void SetUp() override {
    findsSomething = false;
    events.clear();
    ends.clear();
    before = observeLaunchesWith([](const char *, const FairleadLaunch &launch) {
      return std::unique_ptr<LaunchObserver>(new Recorder(launch.flags & kFairleadLaunchShadowed));
    });
  }
  void TearDown() override { observeLaunchesWith(before); }

  int run(FairleadCpuKernel kernel, int32_t flags, int32_t blocks, int32_t threads = 1,
          int32_t shared = 0) {
    FairleadCallContext context{0, kDLCPU, 0, 0};
    FairleadLaunch launch = {.grid = {blocks, 1, 1},
                             .block = {threads, 1, 1},
                             .cluster = {0, 0, 0},
                             .shared_bytes = shared,
                             .has_stream = 0,
                             .flags = flags,
                             .stream = nullptr};
    FairleadCpuLaunch(&context, "k", kernel, nullptr, &launch);
    return context.status;
  }

private:
  MakeObserver before = nullptr;
};

constexpr int32_t kSeesThreads = kFairleadLaunchChecked | kFairleadLaunchShadowed;

void nothing(void *const *, const FairleadLaunch *, int32_t, int32_t, int32_t, void *) {
  events.push_back(LaunchObserver::current() ? "observed" : "not observed");
}

TEST_F(ObservedLaunch, IsThereOnlyForCheckedLaunches) {
  EXPECT_EQ(run(nothing, 0, 1), 0);
  EXPECT_EQ(events, std::vector<std::string>{"not observed"});
}

TEST_F(ObservedLaunch, IsToldOfBlocksInTheirOrder) {
  EXPECT_EQ(run(nothing, kSeesThreads, 2, 1, 64), 0);
  EXPECT_EQ(events, (std::vector<std::string>{"launch", "block 0 with shared memory", "observed",
                                              "block 1 with shared memory", "observed", "findings",
                                              "gone"}));
  EXPECT_EQ(LaunchObserver::current(), nullptr);
}

TEST_F(ObservedLaunch, DecidesWhetherTheCallFails) {
  findsSomething = true;
  EXPECT_EQ(run(nothing, kSeesThreads, 1), -1);
}

void end(void *) {}

/// Starts a thread that waits once, for `threads` threads at barrier 0 (0: all of them). Only the
/// first two threads wait for a number of them.
template <int32_t threads>
void *waitOnce(void *const *, const FairleadLaunch *, int32_t, int32_t, int32_t, int32_t x, int32_t,
               int32_t, void *, FairleadCpuThread *thread) {
  void *frame = FairleadCpuFrame(thread, sizeof(void (*)(void *)));
  *static_cast<void (**)(void *)>(frame) = end;
  if (threads <= 0 || x < 2) {
    thread->wait = kFairleadWaitBarrier;
    thread->first = 0;
    thread->second = threads;
  }
  return frame;
}

template <int32_t threads>
void atBarrier(void *const *params, const FairleadLaunch *launch, int32_t x, int32_t y, int32_t z,
               void *shared) {
  FairleadCpuRunThreads_2(params, launch, x, y, z, shared, waitOnce<threads>);
}

TEST_F(ObservedLaunch, IsToldOfThreadsThatLeaveABarrier) {
  EXPECT_EQ(run(atBarrier<0>, kSeesThreads, 1, 4), 0);
  EXPECT_EQ(events, (std::vector<std::string>{"launch", "block 0", "leave 4", "arrived 4",
                                              "expected 4", "findings", "gone"}));
}

TEST_F(ObservedLaunch, IsToldOfThreadsAndBlocksThatEnd) {
  EXPECT_EQ(run(atBarrier<2>, kSeesThreads, 1, 4), 0);
  EXPECT_EQ(ends,
            (std::vector<std::string>{"thread 2", "thread 3", "thread 0", "thread 1", "block"}));
}

TEST_F(ObservedLaunch, IsToldOfThreadsOnlyIfItWants) {
  EXPECT_EQ(run(atBarrier<0>, kFairleadLaunchChecked, 1, 4), 0);
  EXPECT_EQ(events, (std::vector<std::string>{"launch", "block 0", "findings", "gone"}));
}

TEST_F(ObservedLaunch, IsToldOfADeadlock) {
  EXPECT_EQ(run(atBarrier<32>, kSeesThreads, 1, 4), -1);
  EXPECT_EQ(events, (std::vector<std::string>{"launch", "block 0", "deadlock 2", "stuck", "gone"}));
  EXPECT_NE(fairlead::test::takeRaised().message.find("wait"), std::string::npos);
}

} // namespace
