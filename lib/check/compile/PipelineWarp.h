/// A warp's way through a kernel at compile time: only what decides about its synchronisation is
/// computed.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include "check/compile/LaneValues.h"
#include "check/compile/PipelineModel.h"
#include "ir/Ops.h"

namespace fairlead::check {

/// The operations of a kernel that decide which barriers its threads reach, and the numbers that
/// they use there.
class PipelineSlice {
public:
  explicit PipelineSlice(mlir::Operation *function, bool isKernel);

  bool computes(mlir::Operation *op) const { return needed.contains(op); }
  /// True if the operation, or one in its regions, synchronises threads or copies.
  bool synchronises(mlir::Operation *op) const { return waits.contains(op); }
  bool synchronises(mlir::Region &region) const;
  /// True if all that synchronises in the region are waits for mbarriers and tests of them.
  bool onlyWaits(mlir::Region &region) const;
  /// True if a loop goes on until this test of an mbarrier succeeds.
  bool isRepeated(mlir::Operation *test) const { return repeated.contains(test); }
  /// True if the kernel has more barriers than sync_threads.
  bool hasPipelines() const { return pipelines; }
  /// Why the order of threads cannot be told, or null: inline PTX, waits for memory.
  const char *obscure() const { return unclear; }
  mlir::Operation *obscureOp() const { return unclearOp; }

private:
  void need(mlir::Operation *op);
  void need(mlir::Value value);
  void needStores(mlir::Operation *allocation);
  void noteBarriers(mlir::Operation *op);
  void noteLoop(mlir::scf::WhileOp loop);
  llvm::DenseSet<mlir::Value> sourcesInLoop(mlir::Value start, mlir::scf::WhileOp loop) const;

  llvm::DenseSet<mlir::Operation *> needed, waits, repeated;
  llvm::DenseSet<mlir::Value> arguments; ///< of loops, and results of branches, that are needed
  llvm::SmallVector<mlir::Operation *> work;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> storesOf;
  bool mbarriers = false, pipelines = false;
  const char *unclear = nullptr;
  mlir::Operation *unclearOp = nullptr;
};

/// A launch whose numbers are known.
struct PipelineLaunch {
  mlir::gpu::GPUFuncOp kernel;
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::array<int64_t, 3> place{0, 0, 0}; ///< of the cluster that is followed, among the clusters
  llvm::SmallVector<LaneValue> arguments;
  /// Tensor maps by the number that stands for their address.
  llvm::DenseMap<int64_t, ir::TensorMapOp> maps;

  int blocksOfCluster() const { return static_cast<int>(cluster[0] * cluster[1] * cluster[2]); }
  int64_t threads() const { return block[0] * block[1] * block[2]; }
  int warps() const { return static_cast<int>((threads() + kWarpLanes - 1) / kWarpLanes); }
};

/// Why a program could not be followed to its end.
struct Undecided {
  std::string reason;
  mlir::Operation *op = nullptr, *origin = nullptr;
};

/// Walks through structured control flow. Subclasses execute the operations that are not
/// arithmetic.
class PipelineWalker {
public:
  enum class Status { Ran, Blocked, Yielded, Done, Lost };

  virtual ~PipelineWalker() = default;
  /// Runs until it cannot go on.
  Status run();
  bool isDone() const { return frames.empty(); }
  /// The operation at which it waits.
  mlir::Operation *at() const { return &*frames.back().next; }
  /// True if lanes of the warp that took another branch than those that wait might come to an
  /// operation on barriers without them. The walk ends with that.
  bool othersMayHelp();
  int64_t numSteps() const { return steps; }

  std::optional<Undecided> undecided;

protected:
  PipelineWalker(const PipelineSlice &slice, LaneMask lanes) : slice(slice), all(lanes) {}

  void begin(mlir::Block &body);
  /// Executes an operation that is no arithmetic, or returns nothing if it does not know it.
  virtual std::optional<Status> execute(mlir::Operation *op) = 0;

  LaneMask mask() const { return frames.back().mask; }
  LaneValue valueOf(mlir::Value value);
  void set(mlir::Value value, LaneValue number) { values[value] = std::move(number); }
  Status lose(mlir::Operation *op, std::string reason, mlir::Operation *origin = nullptr);
  /// The numbers of an operand, which must be known.
  std::optional<LaneValue> known(mlir::Operation *op, mlir::Value value);
  /// The test of an mbarrier that decides whether the innermost branch is taken, or 0.
  int decidingTest() const;
  Status executeMemory(mlir::Operation *op);
  bool isPrivate(int64_t address) const { return address >= kPrivate; }

  const PipelineSlice &slice;
  const LaneMask all; ///< lanes that exist

private:
  struct Frame {
    mlir::Block *block;
    mlir::Block::iterator next;
    LaneMask mask;
    mlir::Operation *owner;
    int test = 0; ///< of an mbarrier, that decides about this branch
    LaneValue index{}, bound{}, stride{};
  };
  static constexpr int64_t kPrivate = int64_t{1} << 56;

  Status step(mlir::Operation *op);
  Status enterIf(mlir::scf::IfOp op);
  bool isDeterminate(mlir::scf::IfOp op, const LaneValue &condition) const;
  Status enterFor(mlir::scf::ForOp op);
  Status enterWhile(mlir::scf::WhileOp op);
  bool turnFor(Frame &frame);
  Status terminate(mlir::Operation *op);
  Status endCondition(mlir::scf::ConditionOp op);
  void push(mlir::Block *block, LaneMask mask, mlir::Operation *owner);
  LaneMask lanesWith(const LaneValue &condition, LaneMask among) const;
  void skip(mlir::Operation *op, mlir::Operation *origin);
  void assignResults(mlir::Operation *op, mlir::ValueRange from, LaneMask lanes);
  void resetResults(mlir::Operation *op);
  LaneValue offsetOf(mlir::LLVM::GEPOp op);
  void load(mlir::LLVM::LoadOp op);
  void store(mlir::LLVM::StoreOp op);
  void forget(int64_t address, mlir::Type type);

  std::vector<Frame> frames;
  llvm::DenseMap<mlir::Value, LaneValue> values;
  llvm::DenseMap<int64_t, LaneValue> memory; ///< of register tensors, by address
  llvm::DenseMap<mlir::Operation *, int64_t> allocations;
  int64_t steps = 0;

protected:
  /// A test of mbarriers: their parities, and the answer that the program got here.
  struct Test {
    std::map<SharedPlace, int64_t> parities;
    bool ended = false;
  };
  std::vector<Test> tests; ///< by number - 1
};

/// A warp of a block of the cluster.
class PipelineWarp : public PipelineWalker {
public:
  PipelineWarp(const PipelineLaunch &launch, const PipelineSlice &slice, PipelineModel &model,
               int warp);

private:
  std::optional<Status> execute(mlir::Operation *op) override;
  std::optional<Status> executeIndex(mlir::Operation *op);
  LaneValue shuffled(mlir::NVVM::ShflOp op);
  std::optional<Status> executeBarrier(mlir::Operation *op);
  std::optional<Status> executeMbarrier(mlir::Operation *op);
  std::optional<Status> executeCopy(mlir::Operation *op);
  std::optional<Status> executeUse(mlir::Operation *op);
  Status forLanes(mlir::Operation *op, mlir::Value barrier, mlir::Value number, mlir::Value block,
                  llvm::function_ref<void(SharedPlace, int64_t)> act);
  Status waitAt(mlir::Operation *op, mlir::Value barrier, mlir::Value parity, bool &ended);
  Status test(ir::MbarrierTestOp op);
  Status copy(mlir::Operation *op, mlir::Value target, mlir::Value barrier,
              std::optional<int64_t> bytes, mlir::Value blocks, bool ofPair);
  Status commit(ir::TensorMemoryCommitOp op);
  std::optional<int64_t> boxBytes(mlir::Value map);
  std::optional<Status> executeAsync(mlir::Operation *op);
  SharedPlace placeOf(int64_t address) const;
  int64_t issues(mlir::Operation *op) const;
  void useDescriptor(mlir::Operation *op, mlir::Value descriptor, UseEnd end, bool ofPair);
  void useAddresses(mlir::Operation *op, mlir::Value address, int64_t bytes);

  const PipelineLaunch &launch;
  PipelineModel &model;
  const int warp, block;
  bool blocked = false; ///< arrived already at the barrier where it waits
};

} // namespace fairlead::check
