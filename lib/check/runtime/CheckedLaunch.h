/// A launch of a kernel that was compiled under `--check`: its blocks' accesses, and their errors.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_CHECKEDLAUNCH_H
#define FAIRLEAD_LIB_CHECK_RUNTIME_CHECKEDLAUNCH_H

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cpu/LaunchObserver.h"
#include "check/runtime/Clocks.h"
#include "check/runtime/Initialised.h"
#include "check/runtime/Memory.h"
#include "check/runtime/Spans.h"
#include "check/runtime/Steps.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "runtime/Findings.h"

namespace fairlead::cpu::check {

using runtime::Access, runtime::Finding, runtime::Findings, runtime::Site;

/// A tensor of the call: bytes [begin, end).
struct CallTensor {
  std::string name, type;
  char *data, *begin, *end;
  int bits;
  std::vector<int64_t> extents, strides;

  /// "a[3, 5]", or "a" for an address that is no element's.
  std::string element(const char *address) const;
  /// "a: Float32 (4, 8)"
  std::string str() const;
};

/// The tensors of the call that this thread makes.
std::vector<CallTensor> &callTensors();

class CheckedLaunch final : public LaunchObserver {
public:
  CheckedLaunch(const char *kernel, const FairleadLaunch &launch);
  ~CheckedLaunch() override;

  /// The launch whose block the calling thread runs; null where it has no checks.
  /// Where the checker is part of a program, it makes all observers.
  static CheckedLaunch *current() {
    return static_cast<CheckedLaunch *>(LaunchObserver::current());
  }
  /// Returns the launch if it checks accesses and their order.
  static CheckedLaunch *shadowed() { return static_cast<CheckedLaunch *>(ofThreads()); }

  /// The blocks of a cluster have their turns one at a time. Their threads are numbered one block
  /// after the other, and are ordered as those of one block are.
  void beginBlock(const ObservedBlock &block) override;
  void endBlock() override;
  /// The number of a thread of the block that the calling thread runs.
  uint32_t numbered(uint32_t thread) const;

  void *outside(void *site, int32_t thread, const char *address, int32_t bytes, const char *begin,
                const char *end, const CallTensor *tensor);
  void index(void *site, int32_t thread, int32_t mode, int64_t index, int64_t extent);
  /// Returns the address, or the sink if the bytes are not in the tensor that `base` points into.
  void *inTensor(void *site, int32_t thread, char *address, void *base, int32_t bytes);

  void access(void *site, uint32_t thread, char *address, int32_t what, int64_t low, int64_t high);
  void order(void *site, uint32_t thread, int32_t what, void *address, int64_t number,
             void *barrier);
  /// Takes accesses of many threads; returns false if they must be reported one by one.
  bool takeSpans(const FairleadCheckSpan *given, int32_t number, const int64_t *threads,
                 uint32_t thread);
  bool repeats(int32_t step, const int64_t *threads, uint32_t thread) {
    return steps.takeIfNext(step, threads, thread);
  }
  void uninitialised(void *site, int32_t thread);
  void readByProduct(const char *address, size_t bytes) override;
  void readByStore(const char *address, size_t bytes) override;
  void storeValues(const char *address, size_t bytes) override;
  void endIssue() override { issued.site = nullptr; }
  Initialised initialised; ///< of shadowed launches
  Initialised *values() override { return follows ? &initialised : nullptr; }

  /// A breakpoint; see FairleadCheckStop.
  void stop(const std::string &text);
  bool raiseStop() override;

  void notFinite(void *site, int32_t thread, double result);

  void together(int32_t first);
  void meet(const uint32_t *threads, size_t number) override;
  void readAbsentLane(const WaitingThread &reader, const std::string &what) override;
  void arriveAtBarrier(const BarrierThread &thread) override;
  void leaveBarrier(const std::vector<BarrierThread> &threads, size_t arrived,
                    size_t expected) override;
  void arriveAtCluster(uint32_t thread) override {
    beginOrder();
    clocks.tell(numbered(thread), clusterArrivals);
  }
  void openCluster() override {
    if (!clusterArrivals.empty())
      clusterOpened = std::exchange(clusterArrivals, {});
  }
  void passCluster(uint32_t thread) override {
    beginOrder();
    clocks.hear(numbered(thread), clusterOpened);
  }
  void deadlock(const std::vector<WaitingThread> &waiting, const std::string &text) override;

  bool tellFindings(FairleadCallContext *context, bool isStuck) override;

private:
  struct Touch;
  /// A site at which threads wait wrongly, with one of these threads as an example.
  struct Waiting {
    void *site;
    uint32_t thread;
  };
  struct Phases {
    Clocks::Times of[2]; ///< by parity: what those who arrived had done
  };

  /// True if waits are checked.
  bool checksSync() const { return launch.flags & kFairleadLaunchSync; }
  Waiting at(const WaitingThread &thread) const { return {thread.site, numbered(thread.thread)}; }
  void badSync(const std::vector<Waiting> &at, const std::string &message, const std::string &hint);
  void meetAt(int barrier, const std::vector<BarrierThread> &threads);
  void checkNumber(const BarrierThread &thread);
  void checkBarrier(int barrier, const std::vector<BarrierThread> &threads, size_t arrived,
                    size_t expected);
  /// Describes, as a hint, the arrivals that a phase of an mbarrier lacks.
  std::string missingOf(const void *mbarrier) const;
  /// Hands the findings to the process's function for them, or prints them to stderr.
  void handOver() const;

  static int64_t blockNumber();
  bool isShared(const char *address) const { return shared && shared->contains(address); }
  const CallTensor *tensorOf(const void *address) const;
  uint32_t numberOf(void *site);
  std::string threadText(int32_t thread) const;
  std::string blockText(uint32_t run, size_t rank) const;
  int barrierHere(int barrier) const;
  void beginInCluster(const ObservedBlock &block);
  void beginRun(uint32_t number);
  std::vector<uint32_t> numbersOf(const uint32_t *threads, size_t number) const;
  Access accessBy(const char *what, const void *site, uint32_t who, uint32_t run) const;
  bool precedes(const Epoch &epoch, const Touch &touch);
  bool linked(uint32_t earlier);
  uint32_t rowOf(uint32_t who) const;
  uint32_t whoIn(uint32_t row) const;
  void touchBy(Memory &memory, const Touch &touch);
  void readByAgent(void *site, uint32_t thread, uint32_t who, uint32_t when, const char *address,
                   size_t bytes);
  void unfenced(const Epoch &earlier, const Touch &touch, const char *address);
  void write(Cell &cell, const Touch &touch, const char *place);
  void read(Cell &cell, const Touch &touch, const char *place);
  void race(const Epoch &earlier, bool earlierWrote, const Touch &touch, const char *place);
  bool hasEnded(const Cell &cell) const {
    return cell.write.flags & kEnded && cell.write.block == run;
  }
  void outlived(void *site, uint32_t who, bool wrote, const char *address);
  std::string memoryText(const char *place, const Site &site) const;
  void syncAt(uint32_t thread, const char *address);
  void touch(Memory &memory, void *site, uint32_t thread, char *address, int32_t what,
             const char *value, bool inShared);

  // CheckedOrder.cpp: what orders threads.
  void arrive(void *site, uint32_t thread, const void *mbarrier, int64_t number);
  void fenceMbarriers(uint32_t thread);
  void needFence(void *site, uint32_t thread, const void *mbarrier);
  void useMbarrier(void *site, uint32_t thread, const void *mbarrier, const char *what);
  void copyBox(void *site, uint32_t thread, char *address, int64_t bytes, void *mbarrier);
  void copyBoxes(void *site, uint32_t thread, char *address, int64_t bytesAndBlocks,
                 char *mbarrier);
  void productWrites(void *site, uint32_t thread, char *address, int64_t bytes);
  void useRegisters(void *site, uint32_t thread, const char *address, int64_t bytes);

  // Clocks begin to count in a block when a thread does something alone.
  void settle();
  void beginOrder() {
    settle();
    takeAllApart();
  }

  // CheckedSpans.cpp: accesses of many threads at once.
  static constexpr int kNoMemory = -1, kSharedMemory = 0, kFirstGlobal = 1;
  int memoryAt(const char *address) const;
  static Span spanOf(const FairleadCheckSpan &given, const int64_t *threads, uint32_t thread);
  bool isInside(const FairleadCheckSpan &given, const Span &span) const;
  bool takeSpan(const Span &span);
  bool racesWithBlocks(const Span &span, Granules &memory);
  void log(const Span &span);
  Span spanAt(uint32_t entry) const;
  void takeApart(int place, const char *from, const char *to);
  void takeAllApart();
  void recall();
  void forgetSteps();
  void repeat(const Span &span, int place);

  const std::string kernel;
  const FairleadLaunch &launch;
  const std::vector<CallTensor> &tensors;
  Findings findings;

  // For shadowed launches, whose blocks run one after another.
  std::unique_lock<std::mutex> turn;
  uint32_t run = 0;              ///< number of the block, or cluster, that runs, from 1
  const size_t blockThreads;     ///< of one block
  size_t blocks = 1, stride = 0; ///< of the cluster that runs: its blocks, as InCluster says
  /// From the number of a block's first thread to that of the next one's: warpgroups are of one
  /// block.
  size_t threadsApart;
  Clocks clocks;
  ReaderRows rows;
  std::optional<Memory> shared;
  char *sharedBase = nullptr;
  std::vector<Memory> global;
  std::vector<void *> sites;
  std::map<const char *, Phases> phases;           ///< of mbarriers
  std::map<const char *, Clocks::Times> locations; ///< of atomics that order threads
  std::map<int, Clocks::Times> barriers;           ///< who arrived without waiting
  struct Arrival {
    Waiting at;
    int32_t threads; ///< as its instruction says
  };
  std::map<int, Arrival> lastArrivals;          ///< of these, by barrier
  Clocks::Times clusterArrivals, clusterOpened; ///< of this round, and of the one before
  /// An atomic in global memory that orders threads: the runs of blocks that used it, and the
  /// places through which they had learned of others' accesses.
  struct Link {
    std::set<uint32_t> runs;
    std::set<const char *> before;
  };
  std::map<const char *, Link> links;
  std::set<const char *> heard; ///< by the block that runs

  void *stopError = nullptr; ///< of a breakpoint: an object of the ABI

  Waiting issued{nullptr, 0}; ///< the product or bulk copy that comes next
  bool follows = false;       ///< the values that these read
  struct Begun {
    Waiting at;
    uint32_t when;
    bool fenced = false; ///< copies know of it
  };
  std::map<const void *, Begun> mbarriers; ///< who initialised them
  std::set<const void *> notFenced;        ///< of these
  std::set<uint32_t> fenced;               ///< threads whose registers are ready for products
  /// Registers of a product that may still be in flight: their end, and the product's group and
  /// site.
  struct Registers {
    const char *end;
    uint32_t group;
    void *site;
  };
  std::map<uint32_t, std::map<const char *, Registers>> registers; ///< by thread

  bool settled = false; ///< the clocks have begun in this block
  bool active = false;  ///< something happened since all threads met
  /// Accesses of this block since the last barrier; spans of shared memory may still be in `steps`.
  std::vector<Span> interval;
  Steps steps;
  /// Ranges of single accesses since then, by memory; and of copies since the block began.
  std::vector<Hull> singles;
  Hull copied;
  std::vector<Granules> granules; ///< of `global`
  struct Logged {
    char *first;
    uint32_t shape, run;
  };
  std::vector<Logged> logged;        ///< spans of global memory, of all blocks
  std::vector<Span> shapes;          ///< with `first` 0
  std::vector<uint32_t> shapeOfSite; ///< the last one, counted from 1
};

/// True if FAIRLEAD_CHECK_CONTINUE asks calls to report findings instead of failing.
bool goesOnAfterFindings();

} // namespace fairlead::cpu::check
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_CHECKEDLAUNCH_H
