/// The order of the threads of a run, from barriers, mbarriers, atomics, and copies that they wait
/// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "check/runtime/Clocks.h"

namespace fairlead::check {

/// Clocks begin to count in a run when a thread does something of its own. Threads are numbered in
/// the run.
class ThreadOrder {
public:
  Clocks clocks;

  void beginRun() { started = active = false; }
  /// Notes that a thread does something of its own. Returns false if the clocks have to be started
  /// before.
  bool act() {
    active = true;
    return started;
  }
  void startClocks(size_t threads) {
    started = true;
    clocks.begin(threads);
    phases.clear();
    atomics.clear();
    barriers.clear();
    clusterArrivals.clear();
    clusterOpened.clear();
  }

  /// All threads of the run are at a barrier.
  void meetAll() {
    if (std::exchange(active, false))
      clocks.meetAll();
  }
  void meet(const std::vector<uint32_t> &threads) { clocks.meet(threads.data(), threads.size()); }

  /// A thread uses an atomic that orders the accesses before and after it.
  void useAtomic(uint32_t thread, const char *address) {
    Clocks::Times &all = atomics[address];
    clocks.hear(thread, all);
    clocks.tell(thread, all);
  }

  /// A thread arrives at a phase of an mbarrier; with `copies`, when its copies are done.
  void arriveAtPhase(uint32_t thread, const void *mbarrier, int parity, bool copies) {
    clocks.tell(thread, phases[mbarrier].of[parity], copies);
  }
  /// A copy that the thread has issued, one of `copies`, arrives.
  void copyArrives(uint32_t thread, uint32_t copies, const void *mbarrier, int parity) {
    clocks.tellOfCopy(thread, copies, phases[mbarrier].of[parity]);
  }
  /// The products in tensor memory of the thread's warp arrive when they are done.
  void tensorProductsArrive(uint32_t thread, const void *mbarrier, int parity) {
    clocks.tellOfTensorProducts(thread, phases[mbarrier].of[parity]);
  }
  void passPhase(uint32_t thread, const void *mbarrier, int parity) {
    clocks.hear(thread, phases[mbarrier].of[parity]);
  }

  /// A thread arrives at a barrier without waiting there.
  void arriveAtBarrier(uint32_t thread, int barrier) { clocks.tell(thread, barriers[barrier]); }
  /// Threads leave a barrier.
  void leaveBarrier(const std::vector<uint32_t> &threads, int barrier) {
    const auto arrived = barriers.extract(barrier);
    clocks.meet(threads.data(), threads.size(), arrived ? &arrived.mapped() : nullptr);
  }

  void arriveAtCluster(uint32_t thread) { clocks.tell(thread, clusterArrivals); }
  /// The cluster's barrier opens when all threads have arrived; each of its blocks says so.
  void openCluster() {
    if (!clusterArrivals.empty())
      clusterOpened = std::exchange(clusterArrivals, {});
  }
  void passCluster(uint32_t thread) { clocks.hear(thread, clusterOpened); }

private:
  /// The times of the threads that arrived at an mbarrier, by parity.
  struct Phases {
    Clocks::Times of[2];
  };

  bool started = false; ///< the clocks of this run
  bool active = false;  ///< something happened since all threads met
  std::map<const void *, Phases> phases;
  std::map<const char *, Clocks::Times> atomics;
  std::map<int, Clocks::Times> barriers;        ///< of those that arrived without waiting
  Clocks::Times clusterArrivals, clusterOpened; ///< of this round, and of the one before
};

} // namespace fairlead::check
