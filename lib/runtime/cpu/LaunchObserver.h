/// Observers of launches on the CPU. The launch calls them for events of its blocks and threads.
/// The checker of kernels that were compiled under `--check` is one (lib/check/runtime).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/Runtime.h"
#include "runtime/cpu/ThreadState.h"

namespace fairlead::cpu {

/// A block that begins.
struct ObservedBlock {
  int32_t index[3];
  char *shared;         ///< its shared memory; null if it has none
  uint64_t cluster = 0; ///< the number in the grid of the cluster that it belongs to
  size_t rank = 0;      ///< its number in the cluster
  size_t blocks = 1;    ///< number of blocks of the cluster
  size_t stride = 0;    ///< bytes from one block's shared memory to the next one's
};

/// A suspended thread.
struct WaitingThread {
  void *site;                     ///< where it waits; null if the kernel does not tell
  uint32_t thread;                ///< its number in the block
  const void *mbarrier = nullptr; ///< the mbarrier that it waits for, if it waits for one
  bool asksMemory = false;        ///< it waits until another thread has written to memory
};

/// A thread at a barrier of its block, with the operands of its instruction.
struct BarrierThread {
  WaitingThread waiting;
  int32_t barrier; ///< the barrier's number
  int32_t threads; ///< number of threads that meet; 0 or less: all
};

/// An operation at which lanes of a warp wait for each other.
struct WarpMeeting {
  int32_t wait;  ///< a FairleadWait
  uint32_t mask; ///< the lanes that take part
};

/// Cells of a block's tensor memory that an operation uses.
struct TensorCells {
  enum class Use {
    Load,    ///< to registers
    Store,   ///< from registers
    Sum,     ///< by a product, of its sums
    Operand, ///< by a product, of A
    Scales,  ///< by a product, of scale factors
    Copy,    ///< from shared memory
    Free,    ///< of columns
  };
  Use use;
  size_t rank;       ///< of the block in its cluster
  uint32_t lanes;    ///< bit i: lanes 16 i to 16 i + 15
  uint32_t column;   ///< the first
  uint32_t columns;  ///< number
  uint32_t form = 0; ///< of a product: products of one form end in their order
};

/// Tracks the bytes of memory that have values.
class ValueObserver {
public:
  /// True if any of the bytes has no value.
  virtual bool lacks(const void *address, size_t bytes) = 0;
  virtual void set(const void *address, size_t bytes) = 0;
  virtual void unset(const void *address, size_t bytes) = 0;

protected:
  ~ValueObserver() = default;
};

/// Functions about blocks are called by the thread that runs the block. The other functions are
/// called only if `seesThreads`; threads are then numbered in the block that the caller runs.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  LaunchObserver(const LaunchObserver &) = delete;
  LaunchObserver &operator=(const LaunchObserver &) = delete;

  /// Returns the observer of the launch whose block the calling thread runs, or null.
  static LaunchObserver *current() { return ThreadState::own().launch.observer; }
  /// Returns current() if it sees threads, else null.
  static LaunchObserver *ofThreads() {
    LaunchObserver *observer = current();
    return observer && observer->seesThreads ? observer : nullptr;
  }

  const bool seesThreads; ///< true if it wants events of threads

  virtual void beginBlock(const ObservedBlock &block) = 0;
  /// A block of a cluster ends, and its shared memory with it. Not called for a block that an
  /// assertion stops.
  virtual void endClusterBlock() = 0;
  /// A block ends. Not called for a block that an assertion stops.
  virtual void endBlock() = 0;

  // Threads that wait for each other.

  /// Lanes of a warp exchange values, or synchronise.
  virtual void meet(const std::vector<WaitingThread> &lanes, const WarpMeeting &meeting) = 0;
  /// A lane reads from a lane that takes no part in the operation `what`.
  virtual void readAbsentLane(const WaitingThread &reader, const std::string &what) = 0;
  /// A thread arrives at a barrier without waiting there.
  virtual void arriveAtBarrier(const BarrierThread &thread) = 0;
  /// Threads that waited at a barrier leave it. It opens for `expected` threads; `arrived` have
  /// come, including threads that did not wait.
  virtual void leaveBarrier(const std::vector<BarrierThread> &threads, size_t arrived,
                            size_t expected) = 0;
  virtual void arriveAtCluster(uint32_t thread) = 0;
  /// The cluster's barrier opens. Each of its blocks says so.
  virtual void openCluster() = 0;
  virtual void passCluster(uint32_t thread) = 0;
  /// A thread has come to the end of the kernel.
  virtual void endThread(uint32_t thread) = 0;
  /// No thread of the block can ever go on.
  virtual void deadlock(const std::vector<WaitingThread> &waiting, const std::string &text) = 0;

  // Asynchronous operations. The kernel announces each one by kFairleadCheckIssue.

  /// The product reads shared memory, until its thread has waited for it.
  virtual void readByProduct(const char *address, size_t bytes) = 0;
  /// The product in tensor memory, or the copy to it, reads shared memory until others know that
  /// its thread's commit has arrived. `operand`: 0 for A and for the rows of a copy, 1 for B.
  virtual void readByTensorProduct(const char *address, size_t bytes, size_t operand) = 0;
  /// The operation uses tensor memory. Each lane reports its part of a load or a store.
  virtual void useTensorMemory(const TensorCells &cells) = 0;
  /// Reports that the operation uses tensor memory wrongly, in words that follow "the block". False
  /// if the kernel has not announced the operation.
  virtual bool misuseTensorMemory(const std::string &what) = 0;
  /// The operation reserves columns, which the block has to free.
  virtual void reserveTensorMemory() = 0;
  /// Reports that the block ends with reserved columns, as misuseTensorMemory().
  virtual bool keepTensorMemory(const std::string &what) = 0;
  /// A cluster has asked for another one, and there was none.
  virtual void refuseCluster() = 0;
  /// The bulk copy reads shared memory, until its thread has waited for it.
  virtual void readByStore(const char *address, size_t bytes) = 0;
  /// The bulk copy takes the values of these bytes elsewhere.
  virtual void storeValues(const char *address, size_t bytes) = 0;
  virtual void endIssue() = 0;
  /// Values of the operation's operands; null if nobody wants to know of them.
  virtual ValueObserver *values() = 0;

  // The end of the launch.

  /// Raises the error of a breakpoint in the calling thread; returns false if none failed.
  virtual bool raiseStop() = 0;
  /// Reports the findings, as an error of the call or as a message. Returns false without any.
  /// `isStuck`: threads of a block wait for each other, which is an error too.
  virtual bool tellFindings(FairleadCallContext *context, bool isStuck) = 0;

protected:
  explicit LaunchObserver(bool seesThreads) : seesThreads(seesThreads) {}
};

/// The values of the operands of the operation that the calling thread's block has announced last.
class IssuedValues {
public:
  IssuedValues() : observer(LaunchObserver::ofThreads()) {}
  ~IssuedValues() {
    if (observer)
      observer->endIssue();
  }
  IssuedValues(const IssuedValues &) = delete;

  /// Who wants to know them, or null.
  ValueObserver *get() const { return observer ? observer->values() : nullptr; }

private:
  LaunchObserver *observer;
};

/// Makes the observer of a launch. The kernel's name and the launch outlive it.
using MakeObserver = std::unique_ptr<LaunchObserver> (*)(const char *kernel,
                                                         const FairleadLaunch &launch);
/// Makes the observers of launches with kFairleadLaunchChecked from now on; null: they have none.
/// Returns the function before. Call it while no kernel runs.
MakeObserver observeLaunchesWith(MakeObserver make);

} // namespace fairlead::cpu
