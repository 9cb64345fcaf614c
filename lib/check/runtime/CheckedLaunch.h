/// A launch of a kernel that was compiled under `--check`. It hands the events of the launch and of
/// the kernel to classes with one subject each.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "check/runtime/BarrierUse.h"
#include "check/runtime/BlockSpans.h"
#include "check/runtime/CallTensors.h"
#include "check/runtime/Divergence.h"
#include "check/runtime/Initialised.h"
#include "check/runtime/ProductRegisters.h"
#include "check/runtime/Races.h"
#include "check/runtime/Reporter.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/Stop.h"
#include "check/runtime/TensorOrder.h"
#include "check/runtime/ThreadOrder.h"
#include "check/runtime/Touch.h"
#include "check/runtime/WatchedMemory.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "runtime/cpu/LaunchObserver.h"

namespace fairlead::check {

/// Blocks of launches that see threads run one after another, and such launches too.
class CheckedLaunch final : public cpu::LaunchObserver {
public:
  CheckedLaunch(const char *kernel, const FairleadLaunch &launch);

  static std::unique_ptr<LaunchObserver> make(const char *kernel, const FairleadLaunch &launch) {
    return std::make_unique<CheckedLaunch>(kernel, launch);
  }
  /// The launch whose block the calling thread runs; null if it has no checks. In a program with
  /// the checker, all observers are of this class.
  static CheckedLaunch *current() {
    return static_cast<CheckedLaunch *>(LaunchObserver::current());
  }
  /// Returns the launch if it checks accesses and their order.
  static CheckedLaunch *shadowed() { return static_cast<CheckedLaunch *>(ofThreads()); }

  void beginBlock(const cpu::ObservedBlock &block) override;
  void endClusterBlock() override;
  void endBlock() override;

  // Events of kernels (Hooks.cpp, InitHooks.cpp). Threads are numbered in their block.

  void index(const ThreadAt &access, int32_t mode, int64_t index, int64_t extent);
  /// The address, or the sink if the bytes are not in [begin, end), the tensor's memory.
  void *inside(const ThreadAt &access, char *address, int32_t bytes, const char *begin,
               const char *end, const CallTensor *tensor);
  /// The address, or the sink if the bytes are not in the tensor that `base` points into.
  void *inTensor(const ThreadAt &access, char *address, void *base, int32_t bytes);
  void notFinite(const ThreadAt &computation, double result) {
    reporter.notFinite(computation, result);
  }
  void uninitialised(const ThreadAt &use) { reporter.uninitialised(use, wasRefused); }
  void access(const ThreadAt &at, char *address, int32_t what, int64_t low, int64_t high);
  void order(const ThreadAt &at, int32_t what, void *address, int64_t number, void *barrier);
  /// Accesses of many threads; false if they have to be reported one by one.
  bool takeSpans(const GivenSpans &given);
  bool repeats(int32_t step, const int64_t *threads, uint32_t thread) {
    return seesThreads && spans.repeats(step, threads, thread);
  }
  void together(int32_t first);
  /// FairleadCheckBranch, FairleadCheckReaches and FairleadCheckDisagrees.
  void branch(const ThreadAt &at, uint32_t branch, int32_t event) {
    divergence.paths.take(inRun(at), branch, event);
  }
  void reach(const ThreadAt &at, uint32_t group) { divergence.reach(inRun(at), group); }
  void disagree(const ThreadAt &at, void *branch) {
    settle();
    divergence.disagree(inRun(at), branch);
  }
  Stop stop;
  Initialised initialised; ///< of launches that see threads

  void meet(const std::vector<cpu::WaitingThread> &lanes, const cpu::WarpMeeting &meeting) override;
  void endThread(uint32_t thread) override;
  [[gnu::cold]] void readAbsentLane(const cpu::WaitingThread &reader,
                                    const std::string &what) override;
  void arriveAtBarrier(const cpu::BarrierThread &thread) override;
  void leaveBarrier(const std::vector<cpu::BarrierThread> &threads, size_t arrived,
                    size_t expected) override;
  void arriveAtCluster(uint32_t thread) override;
  void openCluster() override { threads.openCluster(); }
  void passCluster(uint32_t thread) override;
  [[gnu::cold]] void deadlock(const std::vector<cpu::WaitingThread> &waiting,
                              const std::string &text) override;

  void readByProduct(const char *address, size_t bytes) override;
  void readByTensorProduct(const char *address, size_t bytes, size_t operand) override;
  void useTensorMemory(const cpu::TensorCells &cells) override;
  [[gnu::cold]] bool misuseTensorMemory(const std::string &what) override;
  void reserveTensorMemory() override;
  [[gnu::cold]] bool keepTensorMemory(const std::string &what) override;
  void refuseCluster() override { wasRefused = true; }
  void readByStore(const char *address, size_t bytes) override;
  void storeValues(const char *address, size_t bytes) override;
  void endIssue() override {
    issued.site = nullptr;
    operands = {};
  }
  Initialised *values() override { return followsValues ? &initialised : nullptr; }

  bool raiseStop() override { return stop.raise(); }
  bool tellFindings(FairleadCallContext *context, bool isStuck) override;

private:
  /// True if waits are checked.
  bool checksSync() const { return launch.flags & kFairleadLaunchSync; }
  bool hasAgents() const { return launch.flags & kFairleadLaunchAgents; }
  ThreadAt inRun(const ThreadAt &thread) const {
    return {thread.site, block.numberOf(thread.thread)};
  }
  ThreadAt inRun(const cpu::WaitingThread &thread) const {
    return {thread.site, block.numberOf(thread.thread)};
  }

  /// Starts the clocks of this run, if they do not run yet.
  void settle() {
    if (!threads.act())
      startClocks();
  }
  void startClocks();
  /// Prepares for an event that orders threads other than by a barrier of the block.
  void beginOrder() {
    settle();
    spans.takeAllApart();
  }
  /// `who`: the thread, or its copies.
  void accessInRun(const ThreadAt &at, uint32_t who, char *address, int32_t what,
                   const int64_t (&value)[2]);
  void requireInOperand(const char *address, size_t bytes, size_t operand);
  void readByAgent(uint32_t agent, uint32_t when, const char *address, size_t bytes);

  // CheckedOrder.cpp. Threads are numbered in the run.
  void issue(const ThreadAt &at, int64_t kind);
  void orderThreads(const ThreadAt &at, int32_t what, char *address, int64_t number, char *barrier);
  void orderMbarrier(const ThreadAt &at, int32_t what, const char *address, int64_t number);
  void copyBox(const ThreadAt &at, char *address, int64_t bytes, const void *mbarrier);
  /// Bytes from the shared memory of the thread's block to that of block `rank` of its cluster.
  ptrdiff_t distanceTo(size_t rank, uint32_t thread) const;
  /// Notes an arrival, of `who` at `when`, at an mbarrier of another block of the cluster.
  void arriveElsewhere(const ThreadAt &at, const char *mbarrier, uint32_t who, uint32_t when);
  void arriveInBlocks(const ThreadAt &at, const char *mbarrier, int64_t blocks);
  void commitTensorProducts(const ThreadAt &at, const char *mbarrier, int64_t blocks);
  void freeColumns(const ThreadAt &at, int64_t columns);
  void copyBoxes(const ThreadAt &at, char *address, int64_t bytesAndBlocks, const char *mbarrier);

  const std::string kernel;
  const FairleadLaunch &launch;
  const CallTensors &tensors;
  std::unique_lock<std::mutex> turn; ///< of launches that see threads

  RunningBlock block;
  WatchedMemory memory;
  Sites sites;
  ThreadOrder threads;
  Reporter reporter;
  BarrierUse barriers;
  Divergence divergence;
  MbarrierUse mbarriers;
  ProductRegisters registers;
  TensorOrder tensorOrder;
  Races races;
  BlockSpans spans;

  ThreadAt issued{nullptr, 0};         ///< the product or bulk copy that comes next
  std::map<size_t, ThreadAt> reserved; ///< by the block of the cluster: its last reservation
  bool followsValues = false;          ///< of its operands
  bool followsTensors = false;         ///< its use of tensor memory
  /// The memory that a descriptor was made for; null: it is not known.
  struct OperandMemory {
    void *site = nullptr;
    const char *begin = nullptr;
    ptrdiff_t bytes = 0;
  };
  std::array<OperandMemory, 2> operands; ///< of the issued product: A and B
  bool wasRefused = false; ///< a cluster has asked for another one, and there was none
};

} // namespace fairlead::check
