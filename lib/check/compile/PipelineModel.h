/// The barriers of a cluster, and who has seen which of their phases, while warps are followed at
/// compile time.
#ifndef FAIRLEAD_LIB_CHECK_COMPILE_PIPELINEMODEL_H_
#define FAIRLEAD_LIB_CHECK_COMPILE_PIPELINEMODEL_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mlir/IR/Operation.h"

namespace fairlead::check {

/// For each warp of the cluster, how many of its events have happened before.
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

/// A mistake. `message` has {barrier} in the place of the barrier's name.
struct PipelineMistake {
  std::string message, hint;
  mlir::Operation *init = nullptr; ///< the barrier's mbarrier.init, or null
  int stage = 0, stages = 0; ///< the barrier's number among those that its line begins in the block
  std::vector<std::pair<std::string, WarpEvent>> events; ///< what the warp does, and where
};

/// Follows one interleaving, and proves by clocks that all others have the same phases: every
/// arrival and copy counts in its phase, and every wait sees its phase, whatever the order of the
/// warps. Where this cannot be proved, some order goes wrong, which is a mistake.
class PipelineModel {
public:
  PipelineModel(int numBlocks, int warpsOfBlock);

  int numWarps() const { return static_cast<int>(clocks.size()); }
  int warpsOfBlock() const { return warps; }
  int blockOf(int warp) const { return warp / warps; }
  /// Increases with every change that another warp may wait for.
  uint64_t version() const { return changes; }

  void init(int warp, SharedPlace place, int64_t arrivals, mlir::Operation *op);
  void arrive(int warp, SharedPlace place, int64_t count, mlir::Operation *op);
  void expect(int warp, SharedPlace place, int64_t bytes, mlir::Operation *op);
  /// A copy completes. Without `bytes`, the phase is taken to expect what comes.
  void transfer(int warp, SharedPlace place, std::optional<int64_t> bytes, mlir::Operation *op);
  /// True, and the warp has seen the phase's end, if the last phase had this parity.
  bool wait(int warp, SharedPlace place, int64_t parity, mlir::Operation *op);

  /// bar.sync: true when the barrier has completed. `threads` of 0: all warps of the block.
  bool sync(int warp, int64_t id, int64_t threads, mlir::Operation *op);
  void arriveNamed(int warp, int64_t id, int64_t threads, mlir::Operation *op);
  void arriveCluster(int warp, mlir::Operation *op);
  bool waitCluster(int warp, mlir::Operation *op);
  void exit(int warp);

  /// Asynchronous copies to `bytes` bytes of shared memory, counted at a barrier, and accesses of
  /// what they brought.
  void copyTo(int warp, SharedPlace target, int64_t bytes, SharedPlace barrier,
              mlir::Operation *op);
  void use(int warp, SharedPlace place, int64_t bytes, bool later, mlir::Operation *op);
  /// Products of the warp: a group of those begun so far; all but the last `pending` groups are
  /// done.
  void commitUses(int warp);
  void finishUses(int warp, size_t pending);

  /// Reports why the warps at these operations wait forever.
  void reportStuck(const std::vector<WarpEvent> &waiting);
  /// Reports what can be said only at the end.
  void finish();

  const std::vector<PipelineMistake> &mistakes() const { return found; }

private:
  struct Barrier {
    WarpEvent init;
    int stage = 0;
    int64_t arrivals = 0, pending = 0, phase = 0;
    int64_t outstanding = 0, expected = 0, came = 0; ///< bytes of this phase
    int64_t lastCame = 0, lastExpected = 0;
    bool takesAnyBytes = false;
    WarpClock collecting, ended, endedBefore;
    std::vector<WarpEvent> observers, arrived, lastArrived;
  };
  struct Early { ///< arrivals or bytes that may count in a phase before theirs
    SharedPlace place;
    bool isBytes = false;
    WarpEvent first, other;
    WarpClock ended;
    int64_t number = 0, expected = 0, phase = 0;
  };
  struct Named {
    int64_t expected = 0, generation = 0;
    int64_t arrivedThreads = 0;
    WarpEvent first;
    WarpClock collecting, ended;
    std::map<int, bool> released; ///< of warps that wait
  };
  struct Use {
    WarpEvent begin;
    uint32_t endTick = 0; ///< 0: not done
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
  void complete(Named &barrier);
  void completeFullBarriers(int block);
  int aliveWarps(int block) const;
  void checkReuse(const Stage &stage, int warp, mlir::Operation *op);
  void reportEarly(const Early &early);
  bool reportCounts(const Barrier &barrier, const std::vector<WarpEvent> &waiting);
  void report(const Barrier *barrier, std::string message, std::string hint,
              std::vector<std::pair<std::string, WarpEvent>> events);
  bool endedFor(const Barrier &barrier, int64_t phase, int warp) const;

  int warps;
  uint64_t changes = 0;
  std::vector<WarpClock> clocks;
  std::vector<bool> exited;
  std::map<SharedPlace, Barrier> barriers;
  std::map<std::pair<int, const void *>, int> initsOfLine; ///< by block and location
  std::map<std::pair<int, int64_t>, Named> named;
  std::vector<int64_t> clusterArrivals, clusterWaits;
  std::vector<WarpClock> clusterClocks;
  std::map<SharedPlace, Stage> stages;
  std::vector<std::vector<std::shared_ptr<Use>>> openUses;            ///< by warp
  std::vector<std::vector<std::vector<std::shared_ptr<Use>>>> groups; ///< by warp
  std::vector<Early> earlies;
  std::vector<PipelineMistake> found;
};

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_COMPILE_PIPELINEMODEL_H_
