/// The barriers of a cluster, and the phases that each warp has seen of them, while warps are
/// followed at compile time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mlir/IR/Operation.h"

namespace fairlead::check {

/// For each warp of the cluster, how many of its events have happened before. Behind them, for each
/// mbarrier, how many of its phases that asynchronous operations end have ended before.
using WarpClock = std::vector<uint32_t>;

/// An event of a warp.
struct WarpEvent {
  mlir::Operation *op = nullptr;
  int warp = 0; ///< in the cluster
  uint32_t tick = 0;
};

/// A place in the shared memory of a block of the cluster.
struct SharedPlace {
  int block = 0;
  int64_t offset = 0;
  auto operator<=>(const SharedPlace &) const = default;
};

/// When an access of a stage is done: at once, with a group of wgmma, or with a commit of tcgen05.
enum class UseEnd { Now, Group, Commit };

/// An mbarrier by its mbarrier.init and its number among the mbarriers of this line in the block.
struct BarrierName {
  mlir::Operation *init = nullptr;
  int stage = 0, stages = 0;
};

/// Kinds of mistakes, causes before their effects.
enum class MistakeKind { Count, Wait, Arrival, Stage };

/// A mistake. `message` has {0}, {1}, ... in the place of the names of `barriers`.
struct PipelineMistake {
  std::string message, hint;
  std::vector<BarrierName> barriers;
  std::vector<std::pair<std::string, WarpEvent>> events; ///< what the warp does, and where
  MistakeKind kind = MistakeKind::Wait;
};

/// Joins another clock to a clock.
void join(WarpClock &clock, const WarpClock &other);
/// Returns "1 byte", "2 bytes".
std::string counted(int64_t number, const char *noun);
/// Returns "phase 0", or "the phase before the first".
std::string phaseName(int64_t phase);

/// Follows one order of warps. Clocks tell whether another order could have other phases: whether
/// every arrival and copy counts in its phase, and every wait sees its phase, in any order. If not,
/// that is a mistake. docs/dev/check-of-kernels.md has the argument, and its conditions.
class PipelineModel {
public:
  PipelineModel(int numBlocks, int warpsOfBlock);

  int numWarps() const { return static_cast<int>(clocks.size()); }
  int warpsOfBlock() const { return warps; }
  int blockOf(int warp) const { return warp / warps; }
  /// Increases with every change that another warp may wait for.
  uint64_t version() const { return changes; }

  bool isBarrier(SharedPlace place) const { return barriers.contains(place); }
  void init(int warp, SharedPlace place, int64_t arrivals, mlir::Operation *op);
  /// `later`: when asynchronous operations of the warp are done.
  void arrive(int warp, SharedPlace place, int64_t count, bool later, mlir::Operation *op);
  /// `arrives`: the same operation arrives as well, afterwards.
  void expect(int warp, SharedPlace place, int64_t bytes, bool arrives, mlir::Operation *op);
  /// A copy completes.
  void transfer(int warp, SharedPlace place, int64_t bytes, mlir::Operation *op);
  /// True, and the warp has seen the phase's end, if the last phase had this parity.
  bool wait(int warp, SharedPlace place, int64_t parity, mlir::Operation *op);

  /// bar.sync: true when the barrier has completed. `threads` of 0: all warps of the block.
  bool sync(int warp, int64_t id, int64_t threads, mlir::Operation *op);
  void arriveNamed(int warp, int64_t id, int64_t threads, mlir::Operation *op);
  void arriveCluster(int warp, mlir::Operation *op);
  bool waitCluster(int warp, mlir::Operation *op);
  void exit(int warp);

  /// Asynchronous copies to `bytes` bytes of shared memory, counted at a barrier, and accesses
  /// to the copied bytes.
  void copyTo(int warp, SharedPlace target, int64_t bytes, SharedPlace barrier,
              mlir::Operation *op);
  void use(int warp, SharedPlace place, int64_t bytes, UseEnd end, mlir::Operation *op);
  /// Products of the warp. commitUses: the products so far are a group. finishUses: all but the
  /// last `pending` groups are done.
  void commitUses(int warp);
  void finishUses(int warp, size_t pending);
  /// An arrival at a barrier when all products that the warp has begun are done.
  void arriveAfterUses(int warp, SharedPlace barrier, int64_t count, mlir::Operation *op);

  /// Reports why the warps at these operations wait forever.
  void reportStuck(const std::vector<WarpEvent> &waiting);
  /// Reports what can be said only at the end. `complete`: all warps have ended.
  void finish(bool complete);

  const std::vector<PipelineMistake> &mistakes() const { return reported; }

private:
  struct Barrier {
    WarpEvent init;
    int stage = 0;
    int64_t arrivals = 0, pending = 0, phase = 0;
    int64_t outstanding = 0, expected = 0, came = 0; ///< bytes of this phase
    int64_t lastCame = 0, lastExpected = 0;
    size_t number = 0;    ///< in clocks
    bool isAsync = false; ///< asynchronous operations count in this phase
    uint32_t asyncEnds = 0;
    WarpClock collecting, ended, endedBefore;
    WarpClock arrivers; ///< of the arrivals of this phase, without copies
    std::vector<WarpEvent> observers, arrived, lastArrived;
    std::vector<WarpEvent> expecting; ///< of this phase
    WarpEvent copy;                   ///< the last one
  };
  struct Early { ///< arrivals or bytes that may count in a phase before theirs
    SharedPlace place;
    bool isBytes = false;
    bool repeats = false; ///< its warp has arrived by the same operation in the phase before
    WarpEvent first;
    WarpClock ended;
    int64_t number = 0, expected = 0, phase = 0;
  };
  struct Named {
    int64_t expected = 0, generation = 0;
    int64_t arrivedThreads = 0;
    WarpEvent first;
    WarpClock collecting, ended;
    std::map<int, bool> released;   ///< of warps that wait
    std::set<int> comers;           ///< warps that ever come
    std::optional<WarpEvent> early; ///< may come to the phase before its own
  };
  struct Use {
    WarpEvent begin;
    uint32_t endTick = 0;                                ///< 0: no operation of its warp ends it
    std::vector<std::pair<SharedPlace, int64_t>> phases; ///< whose end shows that it is done
  };
  /// The barrier that a warp waits for.
  struct Wait {
    enum class For { Nothing, Mbarrier, Named, Cluster } what = For::Nothing;
    SharedPlace place;
    int64_t number = 0; ///< the parity, or the number of the barrier
  };
  struct Stage {
    int64_t bytes = 0, phase = 0;
    SharedPlace barrier;
    WarpEvent copy;
    std::vector<std::shared_ptr<Use>> uses;
  };

  WarpEvent step(int warp, mlir::Operation *op);
  bool isBefore(const WarpClock &clock, int warp) const;
  bool isBefore(const WarpEvent &event, int warp) const;
  Barrier *begun(int warp, SharedPlace place, const char *what, mlir::Operation *op);
  void countEarly(Barrier &barrier, SharedPlace place, int warp, int64_t number, bool isBytes,
                  mlir::Operation *op);
  void completeIfDone(Barrier &barrier);
  void checkObservers(const Barrier &barrier);
  void checkExpecting(const Barrier &barrier);
  void complete(Named &barrier);
  void checkNamed(int block, int64_t id, int64_t threads, WarpEvent event);
  void completeFullBarriers(int block);
  int aliveWarps(int block) const;
  void checkReuse(const Stage &stage, int warp, mlir::Operation *op);
  bool isDone(const Use &use, int warp) const;
  /// An operation that accesses shared memory of a block.
  void reach(const WarpEvent &event, int block);

  using Events = std::vector<std::pair<std::string, WarpEvent>>;
  void report(const std::vector<const Barrier *> &about, std::string message, std::string hint,
              Events events, MistakeKind kind = MistakeKind::Wait);
  void reportEarly(const Early &early);
  bool reportBytes(const Barrier &barrier, Events events);
  bool reportArrivals(const Barrier &barrier, Events events);
  bool reportNamed(const Wait &wait, int block, Events events);
  bool reportCluster(Events events);
  bool reportNotBegun(const Wait &wait, const std::pair<std::string, WarpEvent> &by);
  void reportEarly(int64_t id, const Named &barrier);
  bool reportMbarrier(const WarpEvent &event, bool onlyBytes, const Events &events);
  bool reportBlock(const std::vector<WarpEvent> &waiting, const Events &events);
  void reportDeadlock(const std::vector<WarpEvent> &waiting, Events events);
  void reportExits();
  bool arrivedBefore(const Barrier &barrier) const;
  std::string warpName(int warp) const;
  std::string awaited(const WarpEvent &event, std::vector<const Barrier *> &about) const;
  bool endedFor(const Barrier &barrier, int64_t phase, int warp) const;

  int warps;
  uint64_t changes = 0;
  std::vector<WarpClock> clocks;
  std::vector<bool> exited;
  std::vector<Wait> waits; ///< by warp
  std::map<SharedPlace, Barrier> barriers;
  std::map<std::pair<int, const void *>, int> initsOfLine; ///< by block and location
  std::map<std::pair<int, int64_t>, Named> named;
  std::vector<int64_t> clusterArrivals, clusterWaits;
  std::vector<WarpClock> clusterClocks;
  std::map<SharedPlace, Stage> stages;
  std::vector<std::vector<std::shared_ptr<Use>>> openUses;            ///< by warp
  std::vector<std::vector<std::vector<std::shared_ptr<Use>>>> groups; ///< by warp
  std::vector<std::vector<std::weak_ptr<Use>>> begunUses;             ///< of tcgen05, by warp
  std::vector<Early> earlies;
  std::map<std::pair<int, int>, WarpEvent> reached; ///< the last, by block and by warp of another
  std::vector<PipelineMistake> reported;
};

} // namespace fairlead::check
