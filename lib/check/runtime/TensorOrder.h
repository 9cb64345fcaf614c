/// Finds uses of tensor memory that nothing orders: products run on by themselves until others know
/// that a commit has arrived, and stores until their thread has waited for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check/runtime/Clocks.h"
#include "check/runtime/Reporter.h"
#include "check/runtime/Touch.h"
#include "runtime/cpu/LaunchObserver.h"

namespace fairlead::check {

/// Threads are numbered in the run. All lanes of a warp load and store together: what one of them
/// tells others, it tells of all.
class TensorOrder {
public:
  /// The references outlive the object.
  TensorOrder(const Clocks &clocks, Reporter &reporter) : clocks(clocks), reporter(reporter) {}

  void beginRun() {
    blocks.clear();
    warps.clear();
    reservations.clear();
    open.clear();
    products = 0;
  }

  /// True if the run has used tensor memory.
  bool any() const { return !warps.empty(); }
  /// A thread uses cells. Each lane reports its part of a load or store.
  void use(const ThreadAt &by, const cpu::TensorCells &cells);
  /// A thread of block `rank` reserves columns.
  void reserve(const ThreadAt &by, size_t rank);
  /// The thread commits the operations that it has issued.
  void commit(uint32_t thread) { open.erase(thread / kWarp); }
  /// Describes, as a hint that follows another one, products and copies that are not committed;
  /// empty if there are none.
  std::string notCommitted() const;
  /// The thread's stores are done.
  void waitForStores(uint32_t thread);
  /// These threads have ended: those of a warp have loaded and stored equally often.
  void endThreads(const std::vector<uint32_t> &threads);

private:
  static constexpr uint32_t kWarp = 32, kColumns = 512, kLaneGroups = 8;

  using Use = cpu::TensorCells::Use;

  /// A use by the products of a warp, or by a warp itself.
  struct Event {
    Use use = Use::Load;
    uint32_t thread = 0, when = 0;
    uint32_t number = 0; ///< among the warp's loads and stores, or among the products
    uint32_t form = 0;
    void *site = nullptr; ///< null: there was none
  };
  /// 16 lanes of a column.
  struct Cell {
    Event write, load, operand;
  };
  /// A load or store of a warp: of each lane its time, 0 before the lane comes to it, and how often
  /// the lane has waited for stores.
  struct WarpUse {
    std::array<uint32_t, kWarp> when = {}, waits = {};
    uint32_t lanes = 0, column = 0; ///< of the first lane that comes to it
    void *site = nullptr;
  };
  struct Warp {
    std::vector<WarpUse> uses;
    std::array<uint32_t, kWarp> count = {};
    std::array<std::vector<uint32_t>, kWarp> waits = {}; ///< times of each lane's waits
  };

  Warp &warpOf(uint32_t thread);
  /// Notes the lane's part of a load or store; returns the number of the warp's.
  uint32_t note(const ThreadAt &by, const cpu::TensorCells &cells);
  /// True if the thread knows that the use is over.
  bool isOver(const Event &event, uint32_t thread);
  bool isWarpUseOver(const Event &event, uint32_t thread);
  /// Reports the event unless it is over.
  void need(const Event &earlier, const Event &now, const cpu::TensorCells &cells);
  void check(const Cell &cell, const Event &now, const cpu::TensorCells &cells);
  /// Reports a product that reads columns which itself or another product writes its sums to.
  void needOwnColumns(const Cell &cell, const Event &now, const cpu::TensorCells &cells);
  static void keep(Cell &cell, const Event &now);

  const Clocks &clocks;
  Reporter &reporter;
  std::vector<std::vector<Cell>> blocks; ///< by rank
  std::vector<Warp> warps;
  struct Reservation {
    ThreadAt by{nullptr, 0};
    uint32_t when = 0;
  };
  std::map<size_t, Reservation> reservations; ///< the last one of each block, by rank
  uint32_t products = 0;                      ///< how often sums have been written
  std::map<uint32_t, void *> open;            ///< where warps issued what they have not committed
};

} // namespace fairlead::check
