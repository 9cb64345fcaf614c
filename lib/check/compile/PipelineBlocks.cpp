/// Barriers of a block and of a cluster.
#include "check/compile/PipelineModel.h"

using namespace mlir;

namespace fairlead::check {

namespace {
constexpr int64_t kLanes = 32;
} // namespace

int PipelineModel::aliveWarps(int block) const {
  int alive = 0;
  for (int i = 0; i < warps; ++i)
    alive += !exited[static_cast<size_t>(block * warps + i)];
  return alive;
}

void PipelineModel::complete(Named &barrier) {
  ++changes;
  ++barrier.generation;
  barrier.ended = std::move(barrier.collecting);
  barrier.collecting = WarpClock(clocks.size());
  barrier.arrivedThreads = 0;
  for (auto &[warp, isReleased] : barrier.released)
    if (!isReleased) {
      join(clocks[static_cast<size_t>(warp)], barrier.ended);
      isReleased = true;
    }
}

/// Checks the arrival of a warp at a barrier of its block, before it is counted.
void PipelineModel::checkNamed(int block, int64_t id, int64_t threads, WarpEvent event) {
  constexpr int64_t kMostBarriers = 16;
  Named &barrier = named[{block, id}];
  const std::string name = "barrier " + std::to_string(id);
  if (id < 0 || id >= kMostBarriers)
    report({}, name + " does not exist: a block has barriers 0 to 15", "Use another number.",
           {{"comes", event}});
  if (threads % kLanes)
    report({},
           name + " is for " + counted(threads, "thread") + "; the number must be a multiple " +
               "of " + std::to_string(kLanes),
           "Count all threads of each warp.", {{"comes", event}});
  if (barrier.arrivedThreads > 0 && barrier.expected != threads) {
    auto all = [](int64_t number) {
      return number ? counted(number, "thread") : "all threads of the block";
    };
    report({},
           name + " is for " + all(barrier.expected) + " by one warp, and for " + all(threads) +
               " by another",
           "Give all threads of a barrier the same number.",
           {{"comes", barrier.first}, {"comes", event}});
  }
  barrier.comers.insert(event.warp);
  if (barrier.generation > 0 && !barrier.early && !isBefore(barrier.ended, event.warp))
    barrier.early = event;
}

void PipelineModel::arriveNamed(int warp, int64_t id, int64_t threads, Operation *op) {
  const int block = blockOf(warp);
  Named &barrier = named[{block, id}];
  const WarpEvent event = step(warp, op);
  checkNamed(block, id, threads, event);
  if (barrier.arrivedThreads == 0) {
    barrier.expected = threads;
    barrier.first = event;
  }
  ++changes;
  barrier.arrivedThreads += kLanes;
  join(barrier.collecting, clocks[static_cast<size_t>(warp)]);
  const int64_t all =
      threads ? (threads + kLanes - 1) / kLanes * kLanes : kLanes * aliveWarps(block);
  if (barrier.arrivedThreads >= all)
    complete(barrier);
}

bool PipelineModel::sync(int warp, int64_t id, int64_t threads, Operation *op) {
  Named &barrier = named[{blockOf(warp), id}];
  waits[static_cast<size_t>(warp)] = {Wait::For::Named, {}, id};
  if (!barrier.released.contains(warp)) {
    barrier.released[warp] = false;
    arriveNamed(warp, id, threads, op);
  }
  if (!barrier.released[warp])
    return false;
  waits[static_cast<size_t>(warp)] = {};
  barrier.released.erase(warp);
  return true;
}

void PipelineModel::arriveCluster(int warp, Operation *op) {
  ++changes;
  const WarpEvent event = step(warp, op);
  const auto index = static_cast<size_t>(warp);
  if (clusterArrivals[index] > clusterWaits[index])
    report({}, "a warp arrives at the barrier of the cluster again, before it has waited there",
           "Call cluster_wait after each cluster_arrive.", {{"arrives", event}});
  const auto generation = static_cast<size_t>(clusterArrivals[index]++);
  if (clusterClocks.size() <= generation)
    clusterClocks.resize(generation + 1, WarpClock(clocks.size()));
  join(clusterClocks[generation], clocks[index]);
}

bool PipelineModel::waitCluster(int warp, Operation *op) {
  const auto index = static_cast<size_t>(warp);
  const int64_t generation = clusterWaits[index];
  waits[index] = {Wait::For::Cluster, {}, generation};
  if (clusterArrivals[index] <= generation)
    return false;
  for (size_t i = 0; i < clocks.size(); ++i)
    if (!exited[i] && clusterArrivals[i] <= generation)
      return false;
  waits[index] = {};
  ++clusterWaits[index];
  join(clocks[index], clusterClocks[static_cast<size_t>(generation)]);
  step(warp, op);
  return true;
}

void PipelineModel::exit(int warp) {
  ++changes;
  exited[static_cast<size_t>(warp)] = true;
  completeFullBarriers(blockOf(warp));
}

void PipelineModel::completeFullBarriers(int block) {
  for (auto &[key, barrier] : named)
    if (key.first == block && barrier.expected == 0 && barrier.arrivedThreads > 0 &&
        barrier.arrivedThreads >= kLanes * aliveWarps(block))
      complete(barrier);
}

} // namespace fairlead::check
