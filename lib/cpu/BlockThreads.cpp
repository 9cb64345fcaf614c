/// FairleadCpuRunThreads: runs the threads of a block in turns. Each thread runs until it waits,
/// and goes on once all threads that it waits for have come. The order is fixed, so that a program
/// gives the same result every time.
#include "cpu/BlockThreads.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cpu/Cluster.h"
#include "cpu/Mbarrier.h"
#include "cpu/Schedule.h"
#include "cpu/WarpCollective.h"
#include "cpu/check/CheckedLaunch.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "runtime/LaunchShape.h"

namespace fairlead::cpu {
namespace {

constexpr size_t kFrameAlignment = 64;
constexpr int kBarriers = 16;
constexpr int kOutOfMemory = 1, kAssertion = 2; ///< why a block was left by longjmp

thread_local BlockFailure *currentFailure = nullptr;
thread_local std::jmp_buf *currentTarget = nullptr;

/// Memory for running blocks, which each worker reuses from block to block.
struct Memory {
  std::vector<FairleadCpuThread> threads;
  std::vector<void *> frames; ///< of each thread
  void *arena = nullptr;      ///< holds the frames
  size_t capacity = 0;
  ~Memory() { std::free(arena); }
};

thread_local Memory ownMemory;

class Block final : public ClusterMember {
public:
  Block(void *const *params, const FairleadLaunch &launch, const int32_t (&index)[3], void *shared,
        FairleadCpuThreadKernel kernel)
      : params(params), launch(launch), index(index), shared(shared), kernel(kernel),
        count(static_cast<size_t>(launch.block[0]) * launch.block[1] * launch.block[2]),
        alive((count + kWarpSize - 1) / kWarpSize, 0) {
    Schedule schedule(launch);
    auto block = static_cast<uint64_t>(index[0]) + 65537u * static_cast<uint64_t>(index[1]);
    order = schedule.order(count, block);
    warps = schedule.order(alive.size(), block);
    lanes = schedule.order(kWarpSize, block);
    memory.threads.assign(count, FairleadCpuThread{});
    memory.frames.assign(count, nullptr);
    if (place.cluster)
      place.cluster->join(place.rank, this);
  }

  void run() {
    AssertionScope scope(&stopped);
    if (int reason = setjmp(stopped)) {
      if (reason == kOutOfMemory)
        currentFailure->report(runtime::extents(index), "");
      return;
    }
    start();
    for (;;) {
      bool stepped = false;
      for (size_t warp : warps)
        while (stepWarp(warp))
          stepped = true;
      if (numAlive == 0)
        return;
      bool arrived = stepArrivals(), ended = stepPhases(), met = stepClusterBarrier();
      if (arrived || ended || met || stepBarriers()) {
        polls = 0;
        moved = true;
      } else if (bool asked = stepPolls(); !letOthersRun(asked, asked || stepped)) {
        if (checked && checked->checksSync())
          tellDeadlock();
        return currentFailure->report(runtime::extents(index), describe() + describeOthers());
      } else if (currentFailure->any()) {
        return;
      }
    }
  }

  bool hasArrived() const final { return numArrived == numAlive; }
  void release() final {
    arrivedAtCluster.assign(count, false);
    numArrived = 0;
    if (checked)
      checked->openCluster();
  }
  std::string describeIn() const final {
    return "in block " + runtime::extents(index) + ": " + describe();
  }

  void setSite(const FairleadCpuThread *thread, void *site) {
    sites.resize(count, nullptr);
    sites[static_cast<size_t>(thread - memory.threads.data())] = site;
  }

  /// Frames are of one size, the kernel's: the first tells it.
  void *allocateFrame(size_t bytes) {
    bytes = (bytes + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
    if (numFrames == 0 && memory.capacity < bytes * count) {
      std::free(memory.arena);
      memory.arena = std::aligned_alloc(kFrameAlignment, bytes * count);
      memory.capacity = memory.arena ? bytes * count : 0;
      if (!memory.arena)
        std::longjmp(stopped, kOutOfMemory); // only generated code lies between
    }
    return static_cast<char *>(memory.arena) + bytes * numFrames++;
  }

private:
  /// Called when only polling threads of the block can go on. Returns false if that cannot change.
  bool letOthersRun(bool asked, bool askedOrStepped) {
    if (place.cluster)
      return place.cluster->pass(place.rank, std::exchange(moved, false), askedOrStepped);
    return asked && ++polls <= kMostPolls;
  }
  std::string describeOthers() const {
    return place.cluster ? place.cluster->describeOthers(place.rank) : std::string();
  }

  void start() {
    for (size_t thread : order) {
      auto number = static_cast<int32_t>(thread);
      int32_t x = number % launch.block[0], row = number / launch.block[0];
      memory.threads[thread].block = this;
      memory.frames[thread] =
          kernel(params, &launch, index[0], index[1], index[2], x, row % launch.block[1],
                 row / launch.block[1], shared, &memory.threads[thread]);
      if (memory.threads[thread].wait != kFairleadWaitNothing) {
        alive[thread / kWarpSize] |= 1u << thread % kWarpSize;
        ++numAlive;
      }
    }
  }

  void goOn(size_t thread) {
    memory.threads[thread].wait = kFairleadWaitNothing;
    void *frame = memory.frames[thread];
    (*static_cast<void (**)(void *)>(frame))(frame);
    if (memory.threads[thread].wait == kFairleadWaitNothing) {
      alive[thread / kWarpSize] &= ~(1u << thread % kWarpSize);
      --numAlive;
      if (!arrivedAtCluster.empty() && arrivedAtCluster[thread])
        --numArrived;
    }
  }

  /// Lets lanes go on that wait for lanes which have all come; false when there are none.
  bool stepWarp(size_t warp) {
    FairleadCpuThread *own = &memory.threads[warp * kWarpSize];
    for (uint32_t open = alive[warp]; open; open &= open - 1) {
      const FairleadCpuThread &first = own[__builtin_ctz(open)];
      if (first.wait < kFairleadWaitWarp || first.wait > kFairleadWaitVoteBallot)
        continue;
      uint32_t group = 0;
      for (uint32_t rest = alive[warp] & first.mask; rest; rest &= rest - 1) {
        const FairleadCpuThread &lane = own[__builtin_ctz(rest)];
        if (lane.wait == first.wait && lane.mask == first.mask)
          group |= rest & -rest;
      }
      if (group == 0 || group != (alive[warp] & first.mask))
        continue;
      const uint32_t inVain = meet(own, group);
      tellMeeting(warp, group);
      if (inVain && syncChecked()) {
        const size_t reader = warp * kWarpSize + __builtin_ctz(inVain);
        checked->badSync({at(reader)},
                         what(memory.threads[reader]) +
                             " that reads from a lane which takes no part in it",
                         "All lanes that others read from have to come to it, and to be in its "
                         "mask.");
      }
      for (size_t lane : lanes)
        if (group >> lane & 1)
          goOn(warp * kWarpSize + lane);
      return true;
    }
    return false;
  }

  void tellMeeting(size_t warp, uint32_t lanes) const {
    if (!checked)
      return;
    uint32_t threads[kWarpSize];
    size_t number = 0;
    for (; lanes; lanes &= lanes - 1)
      threads[number++] = static_cast<uint32_t>(warp * kWarpSize + __builtin_ctz(lanes));
    checked->meet(threads, number);
  }

  bool syncChecked() const { return checked && checked->checksSync() && !sites.empty(); }
  check::CheckedLaunch::Waiting at(size_t thread) const {
    return {sites.empty() ? nullptr : sites[thread],
            checked->numbered(static_cast<uint32_t>(thread))};
  }

  /// Adds a thread for each line at which threads are deadlocked.
  void tellDeadlock() const {
    std::vector<check::CheckedLaunch::Waiting> places;
    std::string hint;
    for (size_t thread = 0; thread < count; ++thread) {
      const FairleadCpuThread &state = memory.threads[thread];
      if (state.wait == kFairleadWaitNothing || !at(thread).site)
        continue;
      bool isListed = std::any_of(places.begin(), places.end(),
                                  [&](const auto &place) { return place.site == at(thread).site; });
      if (isListed)
        continue;
      places.push_back(at(thread));
      if (hint.empty() && (state.wait == kFairleadWaitPhase || state.wait == kFairleadWaitPoll))
        hint = checked->missingOf(&mbarrierOf(state));
    }
    if (hint.empty())
      hint = "Threads that meet have to come to one and the same line, as many as it waits for.";
    checked->badSync(places, "threads wait for each other and none can go on: " + describe(), hint);
  }

  /// Reports uses of a barrier that no GPU guarantees, before threads leave it.
  void checkBarrier(int id, size_t come, size_t required) {
    if (!syncChecked() || group.empty())
      return;
    const size_t first = group.front();
    const FairleadCpuThread &state = memory.threads[first];
    for (size_t thread : group)
      checkNumber(thread);
    const auto unequal = [&](check::CheckedLaunch::Waiting other, int32_t number) {
      checked->badSync({at(first), other},
                       "barrier " + std::to_string(id) + " for " + std::to_string(state.second) +
                           " threads and for " + std::to_string(number),
                       "All that meet at a barrier have to say the same number.");
    };
    for (size_t thread : group)
      if (memory.threads[thread].second != state.second)
        return unequal(at(thread), memory.threads[thread].second);
    const Arrival arrival = std::exchange(lastArrival[id], {});
    if (arrival.number && arrival.number != state.second)
      return unequal(arrival.at, arrival.number);
    // A barrier of all threads excludes threads that have ended: PTX says so for `exit`.
    if (state.second <= 0)
      return;
    if (state.second % kWarpSize)
      checked->badSync({at(first)}, what(state),
                       "The number has to be a multiple of 32: whole warps come.");
    else if (come > required)
      checked->badSync({at(first)}, what(state) + ", to which " + std::to_string(come) + " come",
                       "The first would go on without the others, who wait for the next round.");
  }

  void checkNumber(size_t thread) {
    const int32_t number = memory.threads[thread].first;
    if (number < 0 || number >= kBarriers)
      checked->badSync({at(thread)}, "barrier " + std::to_string(number),
                       "A block has " + std::to_string(kBarriers) + " barriers, numbered from 0.");
  }

  bool waitsAt(const FairleadCpuThread &thread, int id) const {
    return thread.wait == kFairleadWaitBarrier && (thread.first & (kBarriers - 1)) == id;
  }

  /// Resumes all threads whose `test` is true now; returns false if none is.
  template <typename Test> bool stepWhere(const Test &test) {
    group.clear();
    for (size_t thread : order)
      if (test(memory.threads[thread]))
        group.push_back(thread);
    for (size_t thread : std::vector<size_t>(group))
      goOn(thread);
    return !group.empty();
  }

  static bool hasEnded(const FairleadCpuThread &thread) {
    return mbarrierOf(thread).hasEnded(thread.value);
  }
  bool stepPhases() {
    return stepWhere([](FairleadCpuThread &thread) {
      return thread.wait == kFairleadWaitPhase && hasEnded(thread);
    });
  }
  bool stepPolls() {
    return stepWhere([](FairleadCpuThread &thread) {
      if (thread.wait != kFairleadWaitPoll)
        return false;
      thread.result = hasEnded(thread);
      return true;
    });
  }
  bool stepArrivals() {
    return stepWhere([&](FairleadCpuThread &thread) {
      if (thread.wait != kFairleadWaitArrive)
        return false;
      int id = thread.first & (kBarriers - 1);
      ++arrivals[id];
      const auto number = static_cast<size_t>(&thread - memory.threads.data());
      if (checked)
        checked->arriveAt(id, static_cast<uint32_t>(number));
      if (syncChecked()) {
        checkNumber(number);
        lastArrival[id] = {at(number), thread.second};
      }
      return true;
    });
  }

  /// Lets threads go on that arrive at the cluster's barrier, or waited there until it opened.
  bool stepClusterBarrier() {
    if (std::none_of(memory.threads.begin(), memory.threads.end(), [](const auto &thread) {
          return thread.wait == kFairleadWaitClusterArrive || thread.wait == kFairleadWaitCluster;
        }))
      return false;
    bool arrived = stepWhere([&](FairleadCpuThread &thread) {
      if (thread.wait != kFairleadWaitClusterArrive)
        return false;
      arrivedAtCluster.resize(count, false);
      auto number = static_cast<size_t>(&thread - memory.threads.data());
      if (!arrivedAtCluster[number])
        ++numArrived;
      arrivedAtCluster[number] = true;
      if (checked)
        checked->arriveAtCluster(static_cast<uint32_t>(number));
      return true;
    });
    // Threads that still run may arrive before the barrier has to be looked at.
    if (arrived)
      return true;
    auto hasCome = [&](const FairleadCpuThread &thread) {
      auto number = static_cast<size_t>(&thread - memory.threads.data());
      return !arrivedAtCluster.empty() && arrivedAtCluster[number];
    };
    if (std::any_of(memory.threads.begin(), memory.threads.end(), [&](const auto &thread) {
          return thread.wait == kFairleadWaitCluster && hasCome(thread);
        })) {
      if (place.cluster)
        place.cluster->tryRelease();
      else if (hasArrived())
        release();
    }
    return stepWhere([&](FairleadCpuThread &thread) {
      if (thread.wait != kFairleadWaitCluster || hasCome(thread))
        return false;
      if (checked)
        checked->passCluster(static_cast<uint32_t>(&thread - memory.threads.data()));
      return true;
    });
  }

  /// Lets threads go on at barriers where enough have come; false when there is none.
  bool stepBarriers() {
    size_t come[kBarriers] = {}, needed[kBarriers] = {};
    for (const FairleadCpuThread &thread : memory.threads)
      if (thread.wait == kFairleadWaitBarrier) {
        int id = thread.first & (kBarriers - 1);
        ++come[id];
        needed[id] = thread.second > 0 ? static_cast<size_t>(thread.second) : numAlive;
      }
    bool any = false;
    for (int id = 0; id < kBarriers; ++id) {
      if (come[id] == 0 || come[id] + arrivals[id] < needed[id])
        continue;
      any = true;
      const size_t all = come[id] + std::exchange(arrivals[id], 0);
      // A thread that reaches the barrier again while others leave it waits for the next round.
      group.clear();
      for (size_t thread : order)
        if (waitsAt(memory.threads[thread], id))
          group.push_back(thread);
      checkBarrier(id, all, needed[id]);
      if (checked) {
        std::vector<uint32_t> threads(group.begin(), group.end());
        checked->meetAt(id, threads.data(), threads.size());
      }
      for (size_t thread : group)
        goOn(thread);
    }
    return any;
  }

  static std::string name(const FairleadCpuThread &thread) {
    return what(thread) + (thread.at ? std::string(" (") + thread.at + ")" : std::string());
  }
  static const Mbarrier &mbarrierOf(const FairleadCpuThread &thread) {
    uint64_t address = static_cast<uint32_t>(thread.first) |
                       static_cast<uint64_t>(static_cast<uint32_t>(thread.second)) << 32;
    return *reinterpret_cast<const Mbarrier *>(address);
  }
  /// "an mbarrier, phase of parity 0, which lacks 1 arrival and 4096 bytes"
  static std::string mbarrier(const FairleadCpuThread &thread) {
    std::string text = "an mbarrier, phase of parity " + std::to_string(thread.value & 1);
    const Mbarrier &barrier = mbarrierOf(thread);
    const uint64_t pending = barrier.pending;
    const int64_t bytes = barrier.bytes;
    text += ", which lacks " + std::to_string(pending) + (pending == 1 ? " arrival" : " arrivals");
    if (bytes > 0)
      text += " and " + std::to_string(bytes) + " bytes";
    else if (bytes < 0)
      text += " and has " + std::to_string(-bytes) + " bytes more than were announced";
    return text;
  }
  static std::string what(const FairleadCpuThread &thread) {
    if (thread.wait == kFairleadWaitCluster)
      return "cluster_wait";
    if (thread.wait == kFairleadWaitBarrier)
      return thread.second > 0 ? "barrier " + std::to_string(thread.first) + " for " +
                                     std::to_string(thread.second) + " threads"
                               : "sync_threads";
    if (thread.wait > kFairleadWaitVoteBallot)
      return mbarrier(thread);
    const char *what = thread.wait == kFairleadWaitWarp               ? "sync_warp"
                       : thread.wait <= kFairleadWaitShuffleButterfly ? "a shuffle"
                                                                      : "a vote";
    char mask[16];
    std::snprintf(mask, sizeof mask, "0x%08x", thread.mask);
    return std::string(what) + " of lanes " + mask;
  }

  /// "0-39, 48"
  static std::string ranges(const std::vector<size_t> &threads) {
    constexpr size_t kMost = 4;
    std::string text;
    for (size_t i = 0, number = 0; i < threads.size(); ++number) {
      size_t last = i;
      while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1)
        ++last;
      if (number == kMost)
        return text + ", ...";
      text += (number ? ", " : "") + std::to_string(threads[i]);
      if (last > i)
        text += "-" + std::to_string(threads[last]);
      i = last + 1;
    }
    return text;
  }

  /// "40 of 64 threads (0-39) at sync_threads (program.py:12), 8 (40-47) at a shuffle of lanes
  /// 0x000000ff, 16 have ended"
  std::string describe() const {
    std::vector<std::pair<std::string, std::vector<size_t>>> places;
    for (size_t thread = 0; thread < count; ++thread) {
      if (memory.threads[thread].wait == kFairleadWaitNothing)
        continue;
      std::string place = name(memory.threads[thread]);
      auto position = std::find_if(places.begin(), places.end(),
                                   [&](const auto &entry) { return entry.first == place; });
      if (position == places.end())
        position = places.insert(places.end(), {place, {}});
      position->second.push_back(thread);
    }
    std::string text;
    for (const auto &[place, threads] : places) {
      text += text.empty()
                  ? std::to_string(threads.size()) + " of " + std::to_string(count) + " threads"
                  : ", " + std::to_string(threads.size());
      text += " (" + ranges(threads) + ") at " + place;
    }
    if (numAlive < count)
      text += ", " + std::to_string(count - numAlive) + " have ended";
    return text;
  }

  Memory &memory = ownMemory;
  void *const *const params;
  const FairleadLaunch &launch;
  const int32_t (&index)[3];
  void *const shared;
  const FairleadCpuThreadKernel kernel;
  const size_t count;
  std::vector<size_t> order, warps, lanes; ///< whose turn it is, first to last
  std::vector<uint32_t> alive;             ///< lanes of each warp that wait
  size_t numAlive = 0;
  size_t numFrames = 0;
  size_t arrivals[kBarriers] = {}; ///< at barriers, of threads that do not wait there
  struct Arrival {
    check::CheckedLaunch::Waiting at;
    int32_t number;              ///< of threads, as it says; 0: none in this round
  } lastArrival[kBarriers] = {}; ///< where that is checked
  const ClusterPlace place = clusterPlace();
  bool moved = true;                  ///< a thread has gone on since the block's last turn
  std::vector<bool> arrivedAtCluster; ///< threads, in the barrier's round; empty: none ever did
  size_t numArrived = 0;              ///< of those, how many have not ended
  size_t polls = 0;          ///< rounds in which threads only asked whether phases have ended
  std::vector<size_t> group; ///< of threads that leave a barrier
  std::vector<void *> sites; ///< where each thread waits, if that is told
  check::CheckedLaunch *const checked = check::CheckedLaunch::shadowed(); ///< null: unchecked
  std::jmp_buf stopped;
};

} // namespace

BlockFailureScope::BlockFailureScope(BlockFailure &failure) : outer(currentFailure) {
  currentFailure = &failure;
}
BlockFailureScope::~BlockFailureScope() { currentFailure = outer; }

AssertionScope::AssertionScope(std::jmp_buf *target) : outer(currentTarget) {
  currentTarget = target;
}
AssertionScope::~AssertionScope() { currentTarget = outer; }

} // namespace fairlead::cpu

void FairleadCpuAssert(const char *message, int32_t x, int32_t y, int32_t z) {
  using namespace fairlead::cpu;
  const int32_t index[3] = {x, y, z};
  currentFailure->reportAssertion(fairlead::runtime::extents(index), message);
  std::longjmp(*currentTarget, kAssertion);
}

void FairleadCpuRunThreads(void *const *params, const FairleadLaunch *launch, int32_t x, int32_t y,
                           int32_t z, void *shared, FairleadCpuThreadKernel kernel) {
  FairleadCpuRunThreads_2(params, launch, x, y, z, shared, kernel);
}

void FairleadCpuRunThreads_2(void *const *params, const FairleadLaunch *launch, int32_t x,
                             int32_t y, int32_t z, void *shared, FairleadCpuThreadKernel kernel) {
  using namespace fairlead::cpu;
  if (currentFailure->any())
    return;
  const int32_t index[3] = {x, y, z};
  Block(params, *launch, index, shared, kernel).run();
}

void FairleadCheckWaits(void *site, FairleadCpuThread *thread) {
  static_cast<fairlead::cpu::Block *>(thread->block)->setSite(thread, site);
}

void *FairleadCpuFrame(FairleadCpuThread *thread, uint64_t bytes) {
  return static_cast<fairlead::cpu::Block *>(thread->block)->allocateFrame(bytes);
}
