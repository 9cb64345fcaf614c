/// Timelines on the CPU: what the threads of blocks record, and what is counted as lost.
#include "fairlead/Timeline.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/Timeline.h"

namespace {

namespace timeline = fairlead::runtime::timeline;

constexpr int32_t kRoom = 4;
constexpr int64_t kBytes = 1 << 20;

/// A name of an event as generated code holds it.
struct Name {
  explicit Name(const std::string &name) : bytes(std::string(8, '\0') + "kernel\x1f" + name) {
    storage.assign((bytes.size() + 8) / 8, 0);
    bytes.copy(reinterpret_cast<char *>(storage.data()), bytes.size());
  }
  void *get() { return storage.data(); }
  std::string bytes;
  std::vector<uint64_t> storage; ///< aligned for the pointer in front
};

std::vector<std::vector<std::string>> take() {
  std::vector<std::vector<std::string>> records;
  std::istringstream text(FairleadTimelineTake());
  for (std::string record; std::getline(text, record, '\x1e');) {
    std::istringstream fields(record);
    records.emplace_back();
    for (std::string field; std::getline(fields, field, '\x1f');)
      records.back().push_back(field);
  }
  return records;
}

/// Records fields: block, warp, what, payload, name.
std::vector<std::array<std::string, 5>> events() {
  std::vector<std::array<std::string, 5>> result;
  for (const auto &fields : take())
    if (fields[0] == "event")
      result.push_back({fields[4], fields[5], fields[7], fields[8], fields[10]});
  return result;
}

class Timeline : public testing::Test {
protected:
  ~Timeline() override {
    FairleadTimelineCollect(0, 0);
    FairleadTimelineTake();
  }
  void collect(int32_t room = kRoom, int64_t bytes = kBytes) {
    FairleadTimelineCollect(room, bytes);
    EXPECT_TRUE(take().empty());
  }
  void note(Name &name, int32_t what, int32_t thread, int64_t block = 0, int64_t payload = 0) {
    FairleadTimelineNote(name.get(), what, payload, thread, block);
  }
  Name load{"load"}, store{"store"};
};

using Event = std::array<std::string, 5>;

TEST_F(Timeline, RecordsNothingUnlessItCollects) {
  EXPECT_EQ(timeline::beginLaunch(), 0u);
  timeline::LaunchScope launch(1);
  note(load, 0, 0);
  EXPECT_TRUE(take().empty());
}

TEST_F(Timeline, RecordsTheFirstThreadOfAWarpThatComesToAnEvent) {
  collect();
  timeline::LaunchScope launch(timeline::beginLaunch());
  for (int thread = 0; thread < 64; ++thread) {
    note(load, 8, thread, 7, thread);
    note(load, 1, thread, 7);
  }
  EXPECT_EQ(events(), (std::vector<Event>{{"7", "0", "8", "0", "load"},
                                          {"7", "0", "1", "0", "load"},
                                          {"7", "1", "8", "32", "load"},
                                          {"7", "1", "1", "0", "load"}}));
}

TEST_F(Timeline, RecordsEachRoundOfALoopOnce) {
  collect();
  timeline::LaunchScope launch(timeline::beginLaunch());
  for (int round = 0; round < 3; ++round)
    for (int thread = 0; thread < 32; ++thread)
      note(load, 8 | 2, thread, 0, round);
  EXPECT_EQ(events(), (std::vector<Event>{{"0", "0", "10", "0", "load"},
                                          {"0", "0", "10", "1", "load"},
                                          {"0", "0", "10", "2", "load"}}));
}

TEST_F(Timeline, CountsEventsBeyondTheRoomOfAWarp) {
  collect(2);
  timeline::LaunchScope launch(timeline::beginLaunch());
  for (int64_t block = 0; block < 2; ++block)
    for (int round = 0; round < 5; ++round)
      note(load, 2, 0, block);
  auto records = take();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[4],
            (std::vector<std::string>{"lost", "cpu", "6 events beyond the room of a warp"}));
  EXPECT_TRUE(take().empty());
}

TEST_F(Timeline, CountsEventsBeyondTheMemory) {
  collect(1 << 20, 4096);
  timeline::LaunchScope launch(timeline::beginLaunch());
  constexpr int kBlocks = 1000;
  for (int64_t block = 0; block < kBlocks; ++block)
    note(load, 2, 0, block);
  auto records = take();
  ASSERT_GE(records.size(), 2u);
  ASSERT_LT(records.size(), 100u);
  const std::string lost = std::to_string(kBlocks + 1 - records.size());
  EXPECT_EQ(records.back(),
            (std::vector<std::string>{"lost", "cpu",
                                      lost + " events beyond the memory of the recording"}));
  collect(kRoom, 4096); // begins anew
  timeline::LaunchScope another(timeline::beginLaunch());
  note(load, 2, 0);
  EXPECT_EQ(events().size(), 1u);
}

TEST_F(Timeline, ALaunchThatBeganBeforeIsNotRecorded) {
  timeline::LaunchScope launch(timeline::beginLaunch());
  collect();
  note(load, 2, 0);
  EXPECT_TRUE(take().empty());
}

TEST_F(Timeline, SeparatesLaunchesAndThreads) {
  collect();
  std::vector<std::thread> threads;
  for (int64_t block = 0; block < 2; ++block)
    threads.emplace_back([&, block] {
      for (int i = 0; i < 2; ++i) {
        timeline::LaunchScope launch(timeline::beginLaunch());
        note(store, 2, 0, block);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  std::set<std::string> launches;
  for (const auto &fields : take())
    launches.insert(fields.at(2));
  EXPECT_EQ(launches.size(), 4u);
}

TEST_F(Timeline, KnowsNamesByTheirNumbers) {
  FairleadTimelineName(1, "kernel\x1fignored");
  collect();
  FairleadTimelineName(2, "kernel\x1fload");
  EXPECT_EQ(timeline::nameOf(1), "unknown kernel\x1funknown name");
  EXPECT_EQ(timeline::nameOf(2), "kernel\x1fload");
}

} // namespace
