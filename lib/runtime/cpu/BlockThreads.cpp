/// FairleadCpuRunThreads_2: runs the threads of a block in turns. Each thread runs until it waits,
/// and goes on once all threads that it waits for have come. The order is fixed, so that a program
/// gives the same result every time.
#include "runtime/cpu/BlockThreads.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "runtime/LaunchShape.h"
#include "runtime/cpu/Cluster.h"
#include "runtime/cpu/DelayedWork.h"
#include "runtime/cpu/LaunchObserver.h"
#include "runtime/cpu/Mbarrier.h"
#include "runtime/cpu/Schedule.h"
#include "runtime/cpu/ThreadState.h"

namespace fairlead::cpu {
namespace {

constexpr size_t kFrameAlignment = 64;
constexpr int kBarriers = 16;
constexpr size_t kWarpgroupSize = 128;
constexpr int kOutOfMemory = 1, kAssertion = 2; ///< why a block was left by longjmp

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
    AssertionScope scope(ThreadState::own(), &stopped);
    if (int reason = setjmp(stopped)) {
      delayed.drop();
      if (reason == kOutOfMemory)
        failure.report(runtime::extents(index), "");
      return;
    }
    start();
    for (;;) {
      bool stepped = false;
      for (size_t warp : warps)
        while (stepWarp(warp))
          stepped = true;
      if (numAlive == 0)
        return delayed.runAll();
      bool arrived = stepArrivals(), ended = stepPhases();
      // Barriers of threads open after what was issued before.
      if (!arrived && !ended && delayed.runOne()) {
        polls = 0;
        moved = true;
        continue;
      }
      bool met = stepClusterBarrier();
      if (arrived || ended || met || stepWarpgroups() || stepBarriers()) {
        polls = 0;
        moved = true;
      } else if (bool asked = stepPolls(); !letOthersRun(asked, asked || stepped)) {
        if (observer)
          observer->deadlock(waitingThreads(), describe());
        return failure.report(runtime::extents(index), describe() + describeOthers());
      } else if (failure.any()) {
        return;
      }
    }
  }

  bool hasArrived() const final { return numArrived == numAlive; }
  void release() final {
    arrivedAtCluster.assign(count, false);
    numArrived = 0;
    if (observer)
      observer->openCluster();
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
    // Only under checks does nothing else run: otherwise blocks of other workers may write.
    if (asked && !observer &&
        std::any_of(memory.threads.begin(), memory.threads.end(), asksMemory)) {
      std::this_thread::yield();
      moved = true;
      polls = 0;
    }
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
      } else if (observer) {
        observer->endThread(static_cast<uint32_t>(thread));
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
      if (observer)
        observer->endThread(static_cast<uint32_t>(thread));
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
      // Lanes whose mask leaves them out take part: PTX does not define that, but programs rely on
      // it.
      for (uint32_t rest = alive[warp] & ~first.mask; rest; rest &= rest - 1) {
        const FairleadCpuThread &lane = own[__builtin_ctz(rest)];
        if (lane.wait == first.wait && lane.mask == first.mask)
          group |= rest & -rest;
      }
      const uint32_t inVain = meet(own, group);
      tellMeeting(warp, group);
      if (inVain && observer) {
        const size_t reader = warp * kWarpSize + __builtin_ctz(inVain);
        observer->readAbsentLane(waitingThread(reader), what(memory.threads[reader]));
      }
      for (size_t lane : lanes)
        if (group >> lane & 1)
          goOn(warp * kWarpSize + lane);
      return true;
    }
    return false;
  }

  void tellMeeting(size_t warp, uint32_t lanes) const {
    if (!observer)
      return;
    const FairleadCpuThread &first = memory.threads[warp * kWarpSize + __builtin_ctz(lanes)];
    std::vector<WaitingThread> threads;
    for (; lanes; lanes &= lanes - 1)
      threads.push_back(waitingThread(warp * kWarpSize + __builtin_ctz(lanes)));
    observer->meet(threads, {first.wait, first.mask});
  }

  WaitingThread waitingThread(size_t thread) const {
    const FairleadCpuThread &state = memory.threads[thread];
    const bool asks = state.wait == kFairleadWaitPhase || state.wait == kFairleadWaitPoll;
    return {sites.empty() ? nullptr : sites[thread], static_cast<uint32_t>(thread),
            asks ? mbarrierOf(state) : nullptr, asksMemory(state)};
  }
  std::vector<WaitingThread> waitingThreads() const {
    std::vector<WaitingThread> threads;
    for (size_t thread = 0; thread < count; ++thread)
      if (memory.threads[thread].wait != kFairleadWaitNothing)
        threads.push_back(waitingThread(thread));
    return threads;
  }
  BarrierThread barrierThread(size_t thread) const {
    const FairleadCpuThread &state = memory.threads[thread];
    return {waitingThread(thread), state.first, state.second};
  }
  std::vector<BarrierThread> barrierThreads(const std::vector<size_t> &numbers) const {
    std::vector<BarrierThread> threads;
    for (size_t thread : numbers)
      threads.push_back(barrierThread(thread));
    return threads;
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
    return mbarrierOf(thread)->hasEnded(thread.value);
  }
  static bool asksMemory(const FairleadCpuThread &thread) {
    return thread.wait == kFairleadWaitPoll && !mbarrierOf(thread);
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
      thread.result = mbarrierOf(thread) && hasEnded(thread);
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
      if (observer)
        observer->arriveAtBarrier(barrierThread(number));
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
      if (observer)
        observer->arriveAtCluster(static_cast<uint32_t>(number));
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
      if (observer)
        observer->passCluster(static_cast<uint32_t>(&thread - memory.threads.data()));
      return true;
    });
  }

  /// Lets warpgroups go on whose threads all wait for each other; false when there is none.
  bool stepWarpgroups() {
    const auto waits = [](const FairleadCpuThread &thread) {
      return thread.wait == kFairleadWaitWarpgroup;
    };
    const auto waitsOrEnded = [&](const FairleadCpuThread &thread) {
      return waits(thread) || thread.wait == kFairleadWaitNothing;
    };
    std::vector<const FairleadCpuThread *> complete; // the first threads of those warpgroups
    for (size_t first = 0; first < count; first += kWarpgroupSize) {
      const FairleadCpuThread *begin = &memory.threads[first];
      const FairleadCpuThread *end = begin + std::min(kWarpgroupSize, count - first);
      if (std::any_of(begin, end, waits) && std::all_of(begin, end, waitsOrEnded))
        complete.push_back(begin);
    }
    return !complete.empty() && stepWhere([&](const FairleadCpuThread &thread) {
      return waits(thread) && std::any_of(complete.begin(), complete.end(), [&](auto *first) {
               return &thread >= first && &thread < first + kWarpgroupSize;
             });
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
      if (observer)
        observer->leaveBarrier(barrierThreads(group), all, needed[id]);
      for (size_t thread : group)
        goOn(thread);
    }
    return any;
  }

  static std::string name(const FairleadCpuThread &thread) {
    return what(thread) + (thread.at ? std::string(" (") + thread.at + ")" : std::string());
  }
  static const Mbarrier *mbarrierOf(const FairleadCpuThread &thread) {
    uint64_t address = static_cast<uint32_t>(thread.first) |
                       static_cast<uint64_t>(static_cast<uint32_t>(thread.second)) << 32;
    return reinterpret_cast<const Mbarrier *>(address);
  }
  /// "an mbarrier, phase of parity 0, which lacks 1 arrival and 4096 bytes"; in a cluster also
  /// which bytes came too early.
  static std::string mbarrier(const FairleadCpuThread &thread) {
    const Cluster *cluster = blockInCluster().cluster;
    if (cluster && cluster->isPairBarrier(mbarrierOf(thread)))
      return "tcgen05.alloc, for which the other block of the pair has not asked";
    std::string text = "an mbarrier, phase of parity " + std::to_string(thread.value & 1);
    const Mbarrier &barrier = *mbarrierOf(thread);
    const uint64_t pending = barrier.pending;
    const int64_t bytes = barrier.bytes;
    text += ", which lacks " + std::to_string(pending) + (pending == 1 ? " arrival" : " arrivals");
    if (bytes > 0)
      text += " and " + std::to_string(bytes) + " bytes";
    else if (bytes < 0)
      text += " and has " + std::to_string(-bytes) + " bytes more than were announced";
    if (cluster)
      if (int64_t early = cluster->earlyBytes(&barrier))
        text += "; " + std::to_string(early) +
                " bytes came before the mbarrier was initialized: cluster_arrive and cluster_wait "
                "must be between mbarrier_init and the first copy";
    return text;
  }
  static std::string what(const FairleadCpuThread &thread) {
    if (thread.wait == kFairleadWaitCluster)
      return "cluster_wait";
    if (thread.wait == kFairleadWaitWarpgroup)
      return "a fence of the warpgroup or a wait for its products";
    if (thread.wait == kFairleadWaitBarrier)
      return thread.second > 0 ? "barrier " + std::to_string(thread.first) + " for " +
                                     std::to_string(thread.second) + " threads"
                               : "sync_threads";
    if (asksMemory(thread))
      return "a loop that waits for memory";
    if (thread.wait > kFairleadWaitVoteBallot)
      return mbarrier(thread);
    return collectiveName(thread.wait, thread.mask);
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
      text += " (" + threadRanges(threads) + ") at " + place;
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
  BlockFailure &failure = *ThreadState::own().launch.failure;
  const BlockInCluster place = blockInCluster();
  bool moved = true;                  ///< a thread has gone on since the block's last turn
  std::vector<bool> arrivedAtCluster; ///< threads, in the barrier's round; empty: none ever did
  size_t numArrived = 0;              ///< of those, how many have not ended
  size_t polls = 0;          ///< rounds in which threads only asked whether phases have ended
  std::vector<size_t> group; ///< of threads that leave a barrier
  std::vector<void *> sites; ///< where each thread waits, if that is told
  DelayedWork delayed{LaunchObserver::ofThreads() != nullptr, static_cast<uint64_t>(index[0])};
  LaunchObserver *const observer = LaunchObserver::ofThreads();
  std::jmp_buf stopped;
};

} // namespace

/// Separate from the function that jumps, because it has destructors.
static void tellWrongAccess(const FairleadWrongAccess &access, const int32_t (&thread)[3],
                            const int32_t (&block)[3]) {
  const std::string where = runtime::extents(block);
  ThreadState::own().launch.failure->reportWrongAccess(
      where, runtime::describe(access, runtime::extents(thread), where));
}

} // namespace fairlead::cpu

void FairleadCpuAssert(const char *message, int32_t x, int32_t y, int32_t z) {
  using namespace fairlead::cpu;
  const int32_t index[3] = {x, y, z};
  const RunningLaunch &running = ThreadState::own().launch;
  running.failure->reportAssertion(fairlead::runtime::extents(index), message);
  std::longjmp(*running.assertionTarget, kAssertion);
}

void FairleadCpuOutOfBounds(const FairleadWrongAccess *access, int32_t thread,
                            const FairleadLaunch *launch, int32_t x, int32_t y, int32_t z) {
  using namespace fairlead::cpu;
  const int32_t width = launch->block[0], row = thread / width, height = launch->block[1];
  const int32_t inBlock[3] = {thread % width, row % height, row / height};
  const int32_t index[3] = {x, y, z};
  tellWrongAccess(*access, inBlock, index);
  std::longjmp(*ThreadState::own().launch.assertionTarget, kAssertion);
}

void FairleadCpuRunThreads_2(void *const *params, const FairleadLaunch *launch, int32_t x,
                             int32_t y, int32_t z, void *shared, FairleadCpuThreadKernel kernel) {
  using namespace fairlead::cpu;
  if (ThreadState::own().launch.failure->any())
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
