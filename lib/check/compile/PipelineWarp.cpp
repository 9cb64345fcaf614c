#include "check/compile/PipelineWarp.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ir/Attributes.h"
#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::check {
namespace {

constexpr unsigned kBlockShift =
    40; ///< of the rank + 1 in addresses of other blocks of the cluster

int64_t inBlock(int64_t address, int64_t rank) {
  constexpr int64_t kOffset = (int64_t{1} << kBlockShift) - 1;
  return (rank + 1) << kBlockShift | (address & kOffset);
}

LaneMask lanesOf(int64_t threads, int warpInBlock) {
  const int64_t rest = threads - int64_t{warpInBlock} * kWarpLanes;
  return rest >= kWarpLanes ? kAllLanes : (LaneMask{1} << rest) - 1;
}

unsigned dimension(gpu::Dimension dim) { return static_cast<unsigned>(dim); }

} // namespace

using Status = PipelineWalker::Status;

PipelineWarp::PipelineWarp(const PipelineLaunch &launch, const PipelineSlice &slice,
                           PipelineModel &model, int warp)
    : PipelineWalker(slice, lanesOf(launch.threads(), warp % launch.warps())), launch(launch),
      model(model), warp(warp), block(warp / launch.warps()) {
  gpu::GPUFuncOp kernel = launch.kernel;
  for (auto [argument, value] : llvm::zip(kernel.getArguments(), launch.arguments))
    set(argument, value);
  begin(kernel.getBody().front());
}

std::optional<Status> PipelineWarp::execute(Operation *op) {
  for (auto part :
       {&PipelineWarp::executeIndex, &PipelineWarp::executeBarrier, &PipelineWarp::executeMbarrier,
        &PipelineWarp::executeCopy, &PipelineWarp::executeUse})
    if (std::optional<Status> status = (this->*part)(op))
      return status;
  return std::nullopt;
}

//===--- indices -------------------------------------------------------------------------------===

/// Returns the values that a shuffle moves to the lanes.
LaneValue PipelineWarp::shuffled(NVVM::ShflOp op) {
  const LaneValue from = valueOf(op.getVal()), offset = valueOf(op.getOffset());
  if (op->getResult(0).getType().isInteger() && from.isKnown() && from.isUniform())
    return from;
  if (!from.isKnown() || !offset.isKnown() || op.getKind() != NVVM::ShflKind::idx ||
      !op->getResult(0).getType().isInteger())
    return LaneValue::unknown(from.isKnown() ? op : from.origin);
  LaneValue moved = LaneValue::each(
      [&](unsigned lane) { return from[static_cast<unsigned>(offset[lane]) % kWarpLanes]; });
  moved.dependOn(from.test);
  return moved;
}

std::optional<Status> PipelineWarp::executeIndex(Operation *op) {
  const auto &cluster = launch.cluster;
  const std::array<int64_t, 3> place{block % cluster[0], block / cluster[0] % cluster[1],
                                     block / (cluster[0] * cluster[1])};
  auto ofThread = [&](unsigned dim) {
    return LaneValue::each([&](unsigned lane) {
      const int64_t thread = int64_t{warp % launch.warps()} * kWarpLanes + lane;
      const std::array<int64_t, 3> parts{thread % launch.block[0],
                                         thread / launch.block[0] % launch.block[1],
                                         thread / (launch.block[0] * launch.block[1])};
      return parts[dim];
    });
  };
  auto number = [](int64_t value) { return std::optional<LaneValue>(LaneValue::uniform(value)); };
  using Number = std::optional<LaneValue>;
  Number value =
      llvm::TypeSwitch<Operation *, Number>(op)
          .Case([&](gpu::ThreadIdOp id) { return Number(ofThread(dimension(id.getDimension()))); })
          .Case([&](gpu::BlockIdOp id) {
            const unsigned dim = dimension(id.getDimension());
            return number(launch.place[dim] * cluster[dim] + place[dim]);
          })
          .Case([&](gpu::BlockDimOp id) {
            return number(launch.block[dimension(id.getDimension())]);
          })
          .Case(
              [&](gpu::GridDimOp id) { return number(launch.grid[dimension(id.getDimension())]); })
          .Case([&](NVVM::ClusterId) { return number(block); })
          .Case([&](NVVM::ClusterDim) { return number(launch.blocksOfCluster()); })
          .Case([&](NVVM::BlockInClusterIdXOp) { return number(place[0]); })
          .Case([&](NVVM::BlockInClusterIdYOp) { return number(place[1]); })
          .Case([&](NVVM::BlockInClusterIdZOp) { return number(place[2]); })
          .Case([&](NVVM::ClusterDimBlocksXOp) { return number(cluster[0]); })
          .Case([&](NVVM::ClusterDimBlocksYOp) { return number(cluster[1]); })
          .Case([&](NVVM::ClusterDimBlocksZOp) { return number(cluster[2]); })
          .Case([&](NVVM::ClusterDimXOp) { return number(launch.grid[0] / cluster[0]); })
          .Case([&](NVVM::ClusterDimYOp) { return number(launch.grid[1] / cluster[1]); })
          .Case([&](NVVM::ClusterDimZOp) { return number(launch.grid[2] / cluster[2]); })
          .Case([&](NVVM::ClusterIdXOp) { return number(launch.place[0]); })
          .Case([&](NVVM::ClusterIdYOp) { return number(launch.place[1]); })
          .Case([&](NVVM::ClusterIdZOp) { return number(launch.place[2]); })
          .Case([&](NVVM::LaneIdOp) {
            return Number(LaneValue::each([](unsigned lane) { return lane; }));
          })
          .Case([&](NVVM::ElectSyncOp) {
            const auto elected = static_cast<unsigned>(__builtin_ctz(mask()));
            return Number(LaneValue::each([&](unsigned lane) { return lane == elected; }));
          })
          .Case([&](NVVM::ShflOp shuffle) { return Number(shuffled(shuffle)); })
          .Case([&](NVVM::MapaOp map) {
            LaneValue address = valueOf(map.getA()), rank = valueOf(map.getB());
            if (!address.isKnown() || !rank.isKnown())
              return Number(LaneValue::unknown(address.isKnown() ? rank.origin : address.origin));
            return Number(
                LaneValue::each([&](unsigned lane) { return inBlock(address[lane], rank[lane]); }));
          })
          .Default([](Operation *) { return Number(); });
  if (!value)
    return std::nullopt;
  set(op->getResult(0), std::move(*value));
  return Status::Ran;
}

//===--- barriers ------------------------------------------------------------------------------===

std::optional<Status> PipelineWarp::executeBarrier(Operation *op) {
  if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>(op)) {
    model.arriveCluster(warp, op);
    return Status::Ran;
  }
  if (isa<NVVM::ClusterWaitOp>(op))
    return model.waitCluster(warp, op) ? Status::Ran : Status::Blocked;
  Value id, threads;
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op)) {
    id = barrier.getBarrierId();
    threads = barrier.getNumberOfThreads();
    for (Value result : op->getResults())
      set(result, LaneValue::unknown(op));
  } else if (auto barrier = dyn_cast<NVVM::BarrierArriveOp>(op)) {
    id = barrier.getBarrierId();
    threads = barrier.getNumberOfThreads();
  } else {
    return std::nullopt;
  }
  if (mask() != all)
    return lose(op, "a barrier that only some lanes of a warp come to");
  std::array<int64_t, 2> numbers{0, 0};
  for (auto [number, value] : llvm::zip(numbers, std::array<Value, 2>{id, threads}))
    if (value) {
      std::optional<LaneValue> lanes = known(op, value);
      if (!lanes)
        return Status::Lost;
      number = lanes->first(mask());
    }
  if (isa<NVVM::BarrierOp>(op))
    return model.sync(warp, numbers[0], numbers[1], op) ? Status::Ran : Status::Blocked;
  model.arriveNamed(warp, numbers[0], numbers[1], op);
  return Status::Ran;
}

//===--- mbarriers -----------------------------------------------------------------------------===

SharedPlace PipelineWarp::placeOf(int64_t address) const {
  const int64_t rank = address >> kBlockShift;
  return {rank ? static_cast<int>(rank - 1) : block, address & ((int64_t{1} << kBlockShift) - 1)};
}

int64_t PipelineWarp::issues(Operation *op) const {
  return op->hasAttr(ir::kChosenThreadAttribute) ? __builtin_popcount(mask()) : 1;
}

/// Acts once for each barrier that lanes name, with the sum of their numbers.
Status PipelineWarp::forLanes(Operation *op, Value barrier, Value number, Value ofBlock,
                              llvm::function_ref<void(SharedPlace, int64_t)> act) {
  std::optional<LaneValue> address = known(op, barrier);
  std::optional<LaneValue> numbers = number ? known(op, number) : LaneValue::uniform(1);
  std::optional<LaneValue> ranks = ofBlock ? known(op, ofBlock) : LaneValue::uniform(-1);
  if (!address || !numbers || !ranks)
    return Status::Lost;
  std::map<SharedPlace, int64_t> sums;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if (mask() >> lane & 1) {
      SharedPlace place = placeOf((*address)[lane]);
      if (ofBlock)
        place.block = static_cast<int>((*ranks)[lane]);
      if (place.block < 0 || place.block >= launch.blocksOfCluster())
        return lose(op, "an mbarrier of a block that the cluster does not have");
      sums[place] += (*numbers)[lane];
    }
  for (auto [place, sum] : sums)
    act(place, sum);
  return Status::Ran;
}

Status PipelineWarp::waitAt(Operation *op, Value barrier, Value parity, bool &ended) {
  std::optional<LaneValue> address = known(op, barrier), parities = known(op, parity);
  if (!address || !parities)
    return Status::Lost;
  ended = true;
  std::map<SharedPlace, int64_t> places;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if (mask() >> lane & 1)
      places[placeOf((*address)[lane])] = (*parities)[lane];
  if (isa<ir::MbarrierTestOp>(op)) {
    tests.push_back({places, false});
    if (!slice.isRepeated(op)) { // the program must do without the answer
      ended = false;
      return Status::Ran;
    }
  } else if (const int test = decidingTest();
             test && (test == LaneValue::kSeveralTests ||
                      tests[static_cast<size_t>(test - 1)].parities != places)) {
    return lose(op, "the result of a try_wait decides about a wait for another phase");
  }
  for (auto [place, number] : places)
    ended &= model.wait(warp, place, number, op);
  if (isa<ir::MbarrierTestOp>(op))
    tests.back().ended = ended;
  return Status::Ran;
}

/// An answer that another order could change, as the value says.
Status PipelineWarp::test(ir::MbarrierTestOp op) {
  bool ended = false;
  const Status status = waitAt(op, op.getBarrier(), op.getParity(), ended);
  if (status != Status::Ran)
    return status;
  LaneValue answer = LaneValue::uniform(ended);
  answer.test = static_cast<int>(tests.size());
  set(op.getEnded(), std::move(answer));
  return ended || !slice.isRepeated(op) ? status : Status::Yielded;
}

std::optional<Status> PipelineWarp::executeMbarrier(Operation *op) {
  if (auto init = dyn_cast<ir::MbarrierInitOp>(op)) {
    std::optional<LaneValue> arrivals = known(op, init.getArrivals());
    return !arrivals ? Status::Lost
                     : forLanes(op, init.getBarrier(), {}, {}, [&](SharedPlace place, int64_t) {
                         model.init(warp, place, arrivals->first(mask()), op);
                       });
  }
  if (auto arrive = dyn_cast<ir::MbarrierArriveOp>(op))
    return forLanes(
        op, arrive.getBarrier(), arrive.getCount(), arrive.getBlock(),
        [&](SharedPlace place, int64_t count) { model.arrive(warp, place, count, false, op); });
  if (auto arrive = dyn_cast<ir::MbarrierArriveAfterCopiesOp>(op))
    return forLanes(op, arrive.getBarrier(), {}, {}, [&](SharedPlace place, int64_t count) {
      model.arrive(warp, place, count, true, op);
    });
  if (auto expect = dyn_cast<ir::MbarrierExpectOp>(op))
    return forLanes(op, expect.getBarrier(), expect.getBytes(), expect.getBlock(),
                    [&](SharedPlace place, int64_t bytes) {
                      if (bytes < 0) // complete_tx, in the place of a copy
                        model.transfer(warp, place, -bytes, op);
                      else
                        model.expect(warp, place, bytes, false, op);
                    });
  if (auto arrive = dyn_cast<ir::MbarrierArriveExpectOp>(op)) {
    auto expects = [&](SharedPlace place, int64_t bytes) {
      model.expect(warp, place, bytes, true, op);
    };
    Status status =
        forLanes(op, arrive.getBarrier(), arrive.getBytes(), arrive.getBlock(), expects);
    if (status != Status::Ran)
      return status;
    return forLanes(
        op, arrive.getBarrier(), {}, arrive.getBlock(),
        [&](SharedPlace place, int64_t count) { model.arrive(warp, place, count, false, op); });
  }
  if (auto wait = dyn_cast<ir::MbarrierWaitOp>(op)) {
    bool ended = false;
    Status status = waitAt(op, wait.getBarrier(), wait.getParity(), ended);
    return status != Status::Ran || ended ? status : Status::Blocked;
  }
  if (auto tested = dyn_cast<ir::MbarrierTestOp>(op))
    return test(tested);
  return std::nullopt;
}

//===--- copies --------------------------------------------------------------------------------===

std::optional<int64_t> PipelineWarp::boxBytes(Value map) {
  const LaneValue address = valueOf(map);
  auto described = address.isKnown() ? launch.maps.find(address[0]) : launch.maps.end();
  if (described == launch.maps.end())
    return std::nullopt;
  constexpr int kFloats4 = 14, kFloats6 = 15; // that take a byte each in shared memory
  ir::TensorMapOp op = described->second;
  int64_t bytes = op.getElementBytes();
  for (int32_t extent : op.getBox())
    bytes *= extent;
  const int type = static_cast<int>(op.getElementType());
  if (type == kFloats4 || type == kFloats6) // barriers count what is read
    return bytes * (type == kFloats4 ? 4 : 6) / 8;
  return bytes;
}

/// A copy to one block, or to the blocks of a mask. Each of them counts it at its barrier.
Status PipelineWarp::copy(Operation *op, Value target, Value barrier, std::optional<int64_t> bytes,
                          Value blocks, bool ofPair) {
  std::optional<LaneValue> to = known(op, target), counts = known(op, barrier);
  std::optional<LaneValue> ranks = blocks ? known(op, blocks) : LaneValue::uniform(0);
  if (!to || !counts || !ranks)
    return Status::Lost;
  if (!bytes)
    return lose(op, "how many bytes a copy brings is known only when the kernel runs");
  const SharedPlace place = placeOf(to->first(mask())), at = placeOf(counts->first(mask()));
  for (int rank = 0; rank < launch.blocksOfCluster(); ++rank) {
    if (blocks ? !(ranks->first(mask()) >> rank & 1) : rank != place.block)
      continue;
    SharedPlace counting{blocks ? rank : at.block, at.offset};
    if (ofPair)
      counting.block = rank & ~1;
    for (int64_t i = 0; i < issues(op); ++i) {
      model.copyTo(warp, {rank, place.offset}, *bytes, counting, op);
      model.transfer(warp, counting, *bytes, op);
    }
  }
  return Status::Ran;
}

std::optional<Status> PipelineWarp::executeCopy(Operation *op) {
  if (auto load = dyn_cast<ir::TensorLoadOp>(op))
    return copy(op, load.getTarget(), load.getBarrier(), boxBytes(load.getMap()), load.getBlocks(),
                load.getOfPair());
  auto numberOf = [&](Value bytes) -> std::optional<int64_t> {
    const LaneValue value = valueOf(bytes);
    return value.isKnown() ? std::optional<int64_t>(value.first(mask())) : std::nullopt;
  };
  if (auto load = dyn_cast<ir::BulkLoadOp>(op))
    return copy(op, load.getTarget(), load.getBarrier(), numberOf(load.getBytes()),
                load.getBlocks(), false);
  if (auto load = dyn_cast<ir::BulkCopyToBlockOp>(op))
    return copy(op, load.getTarget(), load.getBarrier(), numberOf(load.getBytes()), {}, false);
  return executeAsync(op);
}

std::optional<Status> PipelineWarp::executeAsync(Operation *op) {
  if (auto cancel = dyn_cast<ir::TryCancelOp>(op)) {
    constexpr int64_t kAnswer = 16;
    std::optional<LaneValue> barrier = known(op, cancel.getBarrier());
    if (!barrier)
      return Status::Lost;
    for (int rank = 0; rank < launch.blocksOfCluster(); ++rank)
      if (cancel.getMulticast() || rank == block)
        model.transfer(warp, {rank, placeOf(barrier->first(mask())).offset}, kAnswer, op);
    return Status::Ran;
  }
  if (auto store = dyn_cast<ir::StoreAsyncOp>(op)) {
    const int64_t bytes = store.getValue().getType().getIntOrFloatBitWidth() / 8;
    return forLanes(
        op, store.getBarrier(), {}, store.getBlock(),
        [&](SharedPlace place, int64_t count) { model.transfer(warp, place, count * bytes, op); });
  }
  if (auto committed = dyn_cast<ir::TensorMemoryCommitOp>(op))
    return commit(committed);
  return std::nullopt;
}

Status PipelineWarp::commit(ir::TensorMemoryCommitOp op) {
  std::optional<LaneValue> ranks =
      op.getBlocks() ? known(op, op.getBlocks()) : LaneValue::uniform(0);
  std::optional<LaneValue> barrier = known(op, op.getBarrier());
  if (!ranks || !barrier)
    return Status::Lost;
  const SharedPlace place = placeOf(barrier->first(mask()));
  for (int rank = 0; rank < launch.blocksOfCluster(); ++rank)
    if (op.getBlocks() ? ranks->first(mask()) >> rank & 1 : rank == place.block)
      model.arriveAfterUses(warp, {rank, place.offset}, issues(op), op);
  return Status::Ran;
}

//===--- what reads stages ---------------------------------------------------------------------===

void PipelineWarp::useDescriptor(Operation *op, Value descriptor, UseEnd end, bool ofPair) {
  constexpr int64_t kUnit = 16, kUnits = 0x3fff;
  const LaneValue value = valueOf(descriptor);
  if (!value.isKnown() || !descriptor.getType().isInteger(64))
    return;
  const int64_t offset = (value.first(mask()) & kUnits) * kUnit;
  model.use(warp, {block, offset}, kUnit, end, op);
  if (ofPair && (block ^ 1) < launch.blocksOfCluster())
    model.use(warp, {block ^ 1, offset}, kUnit, end, op);
}

void PipelineWarp::useAddresses(Operation *op, Value address, int64_t bytes) {
  const LaneValue value = valueOf(address);
  if (!value.isKnown())
    return;
  int64_t last = -1;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if (mask() >> lane & 1 && !isPrivate(value[lane]) && value[lane] != last) {
      last = value[lane];
      if (placeOf(last).block < launch.blocksOfCluster())
        model.use(warp, placeOf(last), bytes, UseEnd::Now, op);
    }
}

std::optional<Status> PipelineWarp::executeUse(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    auto type = dyn_cast<LLVM::LLVMPointerType>(load.getAddr().getType());
    if (type && type.getAddressSpace() != 0)
      useAddresses(op, load.getAddr(), 1);
    return std::nullopt;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    const LaneValue address = valueOf(store.getAddr());
    if (address.isKnown() && model.isBarrier(placeOf(address.first(mask()))))
      return lose(op, "a store changes an mbarrier");
    return std::nullopt;
  }
  if (auto load = dyn_cast<ir::LoadMatrixOp>(op)) {
    useAddresses(op, load.getRow(), 1);
  } else if (auto bytes = dyn_cast<ir::LoadByteMatrixOp>(op)) {
    useAddresses(op, bytes.getRow(), 1);
  } else if (auto mma = dyn_cast<ir::WarpgroupMmaOp>(op)) {
    if (!mma.isAInRegisters())
      useDescriptor(op, mma.getA().front(), UseEnd::Group, false);
    useDescriptor(op, mma.getB(), UseEnd::Group, false);
  } else if (auto mma = dyn_cast<ir::TensorMemoryMmaOp>(op)) {
    for (Value descriptor : std::array<Value, 2>{mma.getA(), mma.getB()})
      useDescriptor(op, descriptor, UseEnd::Commit, mma.getGroup() == ir::CtaGroup::Two);
  } else if (auto mma = dyn_cast<ir::TensorMemoryScaledMmaOp>(op)) {
    for (Value descriptor : std::array<Value, 2>{mma.getA(), mma.getB()})
      useDescriptor(op, descriptor, UseEnd::Commit, mma.getGroup() == ir::CtaGroup::Two);
  } else if (auto copied = dyn_cast<ir::TensorMemoryCopyOp>(op)) {
    useDescriptor(op, copied.getSource(), UseEnd::Commit, false);
  } else if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op)) {
    model.commitUses(warp);
  } else if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op)) {
    model.finishUses(warp, static_cast<size_t>(wait.getGroup()));
  } else {
    return std::nullopt;
  }
  for (Value result : op->getResults())
    set(result, LaneValue::unknown(op));
  return Status::Ran;
}

} // namespace fairlead::check
