/// Vector clocks of a block's threads. They tell which accesses are ordered in every schedule. Each
/// thread counts the times at which it published its accesses; for every other thread it knows the
/// latest time that has reached it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace fairlead::check {

/// The threads of one block, and the agents that work for them. Times are numbered by their owner:
/// thread t, `count + t` for its copies to shared memory that it waits for itself, `2 count + t`
/// for the time of the latest fence between the proxies that thread t has passed, `3 count + t` for
/// its bulk copies from shared memory, `4 count + t / 128` for the products of a warpgroup, and
/// after them one for the products in tensor memory of each warp, and one for the copies of a
/// thread that arrive at the same mbarrier. A row of times ends after the last owner that did
/// anything: most blocks have no agents.
class Clocks {
public:
  using Times = std::vector<uint32_t>;

  void begin(size_t threads);
  size_t count() const { return numThreads; }
  uint32_t agentOf(uint32_t thread) const { return number(1) + thread; }
  /// The number of the thread's copies that arrive at the mbarrier; agentOf() if all numbers are
  /// in use.
  uint32_t copiesTo(uint32_t thread, const void *mbarrier);
  uint32_t storesOf(uint32_t thread) const { return number(3) + thread; }
  uint32_t productsOf(uint32_t thread) const { return number(4) + thread / kWarpgroup; }
  uint32_t tensorProductsOf(uint32_t thread) const { return firstTensor() + thread / kWarp; }
  /// The thread itself, or the first thread that an agent works for.
  uint32_t threadOf(uint32_t who) const {
    return isArriving(who)        ? arriving[who - firstArriving()].thread
           : isTensorProduct(who) ? (who - firstTensor()) * kWarp
           : isProduct(who)       ? (who - number(4)) * kWarpgroup
                                  : who % number(1);
  }
  bool isCopy(uint32_t who) const {
    return (who >= number(1) && who < number(2)) || isArriving(who);
  }
  bool isStore(uint32_t who) const { return who >= number(3) && who < number(4); }
  bool isProduct(uint32_t who) const { return who >= number(4) && who < firstTensor(); }
  bool isTensorProduct(uint32_t who) const { return who >= firstTensor() && !isArriving(who); }

  /// On the clock of a thread or its copies; of other agents the group that is open.
  uint32_t now(uint32_t who) const {
    return isArriving(who) ? arriving[who - firstArriving()].time : time[who];
  }
  /// On the clock of the products in tensor memory of the thread's warp.
  uint32_t tensorProductsNow(uint32_t thread) const { return tensorProducts[thread / kWarp]; }
  uint32_t openStores(uint32_t thread) const { return stores[thread].groups + 1; }
  uint32_t openProducts(uint32_t thread) const { return products[thread].groups + 1; }
  /// The last group of products that a thread has waited for.
  uint32_t endedProducts(uint32_t thread) const { return products[thread].waited; }

  /// True if the access of `who` at `when` is before the thread's next one.
  bool isBefore(uint32_t who, uint32_t when, uint32_t thread) const {
    return who == thread || at(*observed[thread], who) >= when ||
           (who >= numThreads && hasWaited(who, when, thread));
  }
  /// True if the asynchronous proxy, used by `thread`, sees the writes of thread `who`.
  bool isFenced(uint32_t who, uint32_t when, uint32_t thread) const {
    return at(*observed[thread], number(2) + who) >= when;
  }

  /// A group of threads meets: all earlier accesses of each come before all later ones of each.
  /// `more` holds times published before (arrivals without waiting); may be null.
  void meet(const uint32_t *threads, size_t number, const Times *more = nullptr);
  void meetAll();

  /// Publishes the thread's accesses, including those of its copies if `copies`.
  void tell(uint32_t thread, Times &all, bool copies = false);
  /// Publishes a copy of the thread, one of `copies`, and the thread's earlier accesses.
  void tellOfCopy(uint32_t thread, uint32_t copies, Times &all);
  /// The thread's accesses, and the products in tensor memory of its warp.
  void tellOfTensorProducts(uint32_t thread, Times &all);
  void hear(uint32_t thread, const Times &all);
  /// Makes all accesses that the thread knows of, including its own, visible to the asynchronous
  /// proxy.
  void fence(uint32_t thread);

  void commit(uint32_t thread);
  void waitForCopies(uint32_t thread, size_t but);
  void commitStores(uint32_t thread) { ++stores[thread].groups; }
  void waitForStores(uint32_t thread, uint32_t but) { stores[thread].wait(but); }
  void commitProducts(uint32_t thread) { ++products[thread].groups; }
  void waitForProducts(uint32_t thread, uint32_t but) { products[thread].wait(but); }

private:
  using Shared = std::shared_ptr<Times>;
  static constexpr uint32_t kWarpgroup = 128, kWarp = 32;

  /// Groups of asynchronous operations, which end in their order.
  struct Groups {
    uint32_t groups = 0, waited = 0;
    void wait(uint32_t but) {
      if (groups > but && groups - but > waited)
        waited = groups - but;
    }
  };

  /// The copies of a thread that arrive at one mbarrier, and their time.
  struct Arriving {
    uint32_t thread;
    const void *mbarrier;
    uint32_t time = 1;
  };

  uint32_t number(uint32_t times) const { return times * static_cast<uint32_t>(numThreads); }
  uint32_t firstTensor() const { return number(4) + (number(1) + kWarpgroup - 1) / kWarpgroup; }
  uint32_t firstArriving() const { return firstTensor() + (number(1) + kWarp - 1) / kWarp; }
  bool isArriving(uint32_t who) const { return who >= firstArriving(); }
  uint32_t &timeOf(uint32_t who) {
    return isArriving(who) ? arriving[who - firstArriving()].time : time[who];
  }
  static uint32_t at(const Times &times, size_t who) { return who < times.size() ? times[who] : 0; }
  static void raise(Times &times, size_t who, uint32_t when);
  static void join(Times &into, const Times &from);
  bool hasWaited(uint32_t who, uint32_t when, uint32_t thread) const;
  /// Publishes accesses of the thread's agents that it has waited for.
  void tellWaited(uint32_t thread, Times &all) const;

  size_t numThreads = 0;
  std::vector<uint32_t> time;           ///< of threads and their copies
  std::vector<Shared> observed;         ///< of threads; those that met share it
  std::vector<uint32_t> waited;         ///< up to which time of its agent a thread has waited
  std::vector<Groups> stores, products; ///< of threads
  std::vector<uint32_t> tensorProducts; ///< times, of warps
  std::vector<Arriving> arriving;       ///< by owner
  std::map<uint32_t, std::vector<uint32_t>> groups; ///< times at which a thread's groups ended
  std::vector<uint32_t> everyone;
};

} // namespace fairlead::check
