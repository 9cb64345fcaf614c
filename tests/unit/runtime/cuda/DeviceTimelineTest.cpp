/// Timelines of GPUs against the fake driver: which modules know the buffer, what is read from it,
/// and what is reported as lost. The test writes to the buffer as kernels do.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "fairlead/Runtime.h"
#include "fairlead/Timeline.h"
#include "runtime/RaisedError.h"
#include "runtime/cuda/fake/FakeDriver.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace {

using fairlead::test::FakeDriver;

constexpr int32_t kRoom = 2;
constexpr uint64_t kName = 77;

class DeviceTimeline : public testing::Test {
protected:
  DeviceTimeline() {
    setenv("FAIRLEAD_LIBCUDA", FAKE_DRIVER, 0);
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW);
    fake = reinterpret_cast<FakeDriver *(*)()>(dlsym(library, "fairleadFakeDriver"))();
    fake->records = true;
  }
  ~DeviceTimeline() override {
    collect(0, 0);
    fake->records = false;
    fake->timeline = nullptr;
    fake->memory = 1 << 20;
  }

  void collect(int32_t room, int64_t bytes) {
    FairleadTimelineCollect(room, bytes);
    FairleadTimelineTake();
  }

  /// Memory for a head and this number of parts.
  static int64_t bytesOf(int parts) {
    return sizeof(FairleadTimelineBuffer) +
           parts * (sizeof(FairleadTimelinePart) + kRoom * sizeof(FairleadTimelineEvent));
  }

  void launch(FairleadCudaModule &of) {
    FairleadCallContext context{0, kDLCUDA, 0, 0};
    FairleadLaunch what = {{4, 1, 1}, {128, 1, 1}, {0, 0, 0}, 0, 0, 0, nullptr};
    int value = 1;
    void *params[] = {&value};
    FairleadCudaLaunch(&context, &of, 0, params, &what);
    EXPECT_EQ(context.status, 0) << fairlead::test::takeRaised().message;
  }

  FairleadTimelineBuffer *buffer() { return static_cast<FairleadTimelineBuffer *>(fake->timeline); }

  /// What a warp does that records a number of events.
  void record(uint32_t warp, uint32_t events) {
    FairleadTimelineBuffer *head = buffer();
    const uint64_t number = head->taken++;
    if (number >= head->parts)
      return;
    char *begin =
        reinterpret_cast<char *>(head + 1) +
        number * (sizeof(FairleadTimelinePart) + head->room * sizeof(FairleadTimelineEvent));
    auto *part = reinterpret_cast<FairleadTimelinePart *>(begin);
    *part = {5, 3, warp, 9, events - std::min(events, head->room), 0};
    auto *event = reinterpret_cast<FairleadTimelineEvent *>(part + 1);
    for (uint32_t i = 0; i < std::min(events, head->room); ++i)
      event[i] = {1000 + i, kName << kFairleadTimelineWhatBits | kFairleadTimelineMark, 0};
  }

  std::string take() {
    std::string text = FairleadTimelineTake();
    for (char &c : text)
      c = c == '\x1f' ? '|' : c == '\x1e' ? '\n' : c;
    return text;
  }

  FakeDriver *fake;
  FairleadCudaImage image = {"sm_90", "kernels add", 11};
  const char *name = "add";
  FairleadCudaModule module = {nullptr, "test_module", 1, 1, &image, &name};
  FairleadCudaModule other = {nullptr, "other_module", 1, 1, &image, &name};
};

TEST_F(DeviceTimeline, KernelsKnowTheBufferWhileTheProcessCollects) {
  launch(module);
  EXPECT_EQ(buffer(), nullptr);
  collect(kRoom, bytesOf(8));
  launch(module);
  ASSERT_NE(buffer(), nullptr);
  EXPECT_GE(buffer()->parts, 8u); // a test before may have made a larger one
  EXPECT_EQ(buffer()->room, uint32_t(kRoom));
  collect(0, 0);
  launch(module);
  EXPECT_EQ(buffer(), nullptr);
}

TEST_F(DeviceTimeline, ModulesWithoutATimelineAreLeftAlone) {
  fake->records = false;
  collect(kRoom, bytesOf(8));
  launch(module);
  EXPECT_EQ(buffer(), nullptr);
  EXPECT_EQ(take(), "");
}

TEST_F(DeviceTimeline, EventsAreReadOnce) {
  collect(kRoom, bytesOf(8));
  FairleadTimelineName(kName, "add\x1fhere");
  launch(module);
  record(1, 2);
  EXPECT_EQ(take(), "event|cuda:0|5|add|3|1|9|2|0|1000|here\n"
                    "event|cuda:0|5|add|3|1|9|2|0|1001|here\n");
  EXPECT_EQ(take(), "");
}

TEST_F(DeviceTimeline, EventsWithoutRoomAreCounted) {
  collect(kRoom, bytesOf(8));
  launch(module);
  record(0, 5);
  record(1, 3);
  const std::string text = take();
  EXPECT_NE(text.find("lost|cuda:0|4 events beyond the room of a warp\n"), std::string::npos)
      << text;
}

TEST_F(DeviceTimeline, WarpsWithoutMemoryAreCounted) {
  fake->memory = 1 << 21;
  const int64_t bytes = 1 << 21; // more than any test before had
  collect(kRoom, bytes);
  launch(module);
  buffer()->taken = buffer()->parts + uint64_t{3};
  EXPECT_EQ(take(), "lost|cuda:0|all events of 3 warps beyond the memory of the recording\n");
}

TEST_F(DeviceTimeline, EventsOfAnotherRecordingAreNotRead) {
  collect(kRoom, bytesOf(8));
  launch(module);
  record(0, 1);
  collect(0, 0);
  collect(1, bytesOf(8));
  EXPECT_EQ(buffer()->taken, 0u);
  EXPECT_EQ(buffer()->room, 1u);
  launch(other);
  EXPECT_EQ(take(), "");
}

TEST_F(DeviceTimeline, AGraphOfAnotherRecordingRecords) {
  collect(kRoom, bytesOf(8));
  launch(module);
  collect(0, 0);
  collect(kRoom, bytesOf(8));
  record(4, 1); // without a launch that the runtime sees
  EXPECT_NE(take().find("event|cuda:0|5|"), std::string::npos);
}

TEST_F(DeviceTimeline, ADeviceWithoutMemoryIsReportedAndItsKernelsRun) {
  fake->memory = 0;
  collect(kRoom, int64_t{1} << 30);
  launch(module);
  launch(other);
  EXPECT_EQ(buffer(), nullptr);
  const std::string text = take();
  EXPECT_EQ(text.find("lost|cuda:0|all events: "), 0u) << text;
  collect(0, 0);
  fake->memory = 1 << 20;
  collect(kRoom, bytesOf(8));
  EXPECT_EQ(take(), "");
}

TEST_F(DeviceTimeline, ACaptureIsNotDisturbed) {
  collect(kRoom, bytesOf(8));
  fake->captureMode = -1;
  launch(module);
  take();
  EXPECT_EQ(fake->captureMode, 0) << "changed, and as it was before";
}

} // namespace
