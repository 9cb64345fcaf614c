#include "check/runtime/RunningBlock.h"

#include <algorithm>
#include <numeric>

#include "runtime/LaunchShape.h"
#include "runtime/cpu/LaunchCheck.h"

namespace fairlead::check {

RunningBlock::RunningBlock(const FairleadLaunch &launch)
    : launch(launch),
      blockThreads(static_cast<size_t>(launch.block[0]) * static_cast<size_t>(launch.block[1]) *
                   static_cast<size_t>(launch.block[2])),
      threadsApart(blockThreads) {}

bool RunningBlock::beginInCluster(const cpu::ObservedBlock &block) {
  const uint32_t before = number;
  constexpr size_t kWarpgroup = 128;
  blocks = block.blocks;
  stride = block.stride;
  threadsApart = (blockThreads + kWarpgroup - 1) / kWarpgroup * kWarpgroup;
  number = kFirstRun + static_cast<uint32_t>(block.cluster);
  return number != before;
}

std::vector<uint32_t> RunningBlock::threadsHere() const {
  std::vector<uint32_t> threads(blockThreads);
  std::iota(threads.begin(), threads.end(), numberOf(0));
  return threads;
}

std::vector<uint32_t> RunningBlock::warpHere(uint32_t first) const {
  constexpr size_t kLanes = 32;
  std::vector<uint32_t> lanes(std::min(kLanes, blockThreads - first));
  std::iota(lanes.begin(), lanes.end(), numberOf(first));
  return lanes;
}

bool RunningBlock::isLast() const {
  int64_t last = currentBlock().number;
  if (isCluster())
    last += static_cast<int64_t>(blocks - 1 - currentBlock().rank);
  return last + 1 >= int64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

std::string RunningBlock::threadText(uint32_t thread) const {
  const auto index = static_cast<int32_t>(thread % threadsApart);
  return runtime::extents({index % launch.block[0], index / launch.block[0] % launch.block[1],
                           index / launch.block[0] / launch.block[1]});
}

std::string RunningBlock::blockText(uint32_t run, size_t rank) const {
  size_t rest = run - kFirstRun;
  int32_t index[3];
  for (int d = 0; d < 3; ++d) {
    const auto extent =
        blocks == 1 ? size_t{1} : static_cast<size_t>(cpu::clusterExtent(launch, d));
    const size_t along = static_cast<size_t>(launch.grid[d]) / extent;
    index[d] = static_cast<int32_t>(rest % along * extent + rank % extent);
    rest /= along;
    rank /= extent;
  }
  return runtime::extents(index);
}

std::string RunningBlock::hereText() { return runtime::extents(currentBlock().index); }

} // namespace fairlead::check
