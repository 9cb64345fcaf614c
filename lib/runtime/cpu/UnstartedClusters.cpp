#include "runtime/cpu/UnstartedClusters.h"

#include <cstring>
#include <utility>

#include "fairlead/AsyncCpu.h"
#include "runtime/cpu/Cluster.h"
#include "runtime/cpu/LaunchCheck.h"
#include "runtime/cpu/TensorMemory.h"

namespace fairlead::cpu {

std::array<int32_t, 3> firstBlockOf(const FairleadLaunch &launch, uint64_t cluster) {
  std::array<int32_t, 3> first;
  for (int d = 0; d < 3; ++d) {
    const auto extent = static_cast<uint64_t>(clusterExtent(launch, d));
    const uint64_t along = static_cast<uint64_t>(launch.grid[d]) / extent;
    first[static_cast<size_t>(d)] = static_cast<int32_t>(cluster % along * extent);
    cluster /= along;
  }
  return first;
}

namespace {

constinit thread_local UnstartedClusters *ofThread = nullptr;

/// The answer of a GPU is opaque; this one is read by fairlead.query_cancel.
struct Response {
  std::array<int32_t, 3> firstBlock;
  int32_t cancelled;
};

Response respond(UnstartedClusters *unstarted) {
  if (!unstarted)
    return {};
  if (std::exchange(unstarted->hasRefused, unstarted->next >= unstarted->end))
    ownTensorMemory().noteProblem(
        "asks for another cluster (clusterlaunchcontrol.try_cancel) after "
        "an answer that none is left");
  if (std::optional<uint64_t> cluster = unstarted->take())
    return {firstBlockOf(*unstarted->launch, *cluster), 1};
  return {};
}

} // namespace

UnstartedScope::UnstartedScope(UnstartedClusters *unstarted)
    : outer(std::exchange(ofThread, unstarted)) {}

UnstartedScope::~UnstartedScope() { ofThread = outer; }

} // namespace fairlead::cpu

void FairleadCpuTryCancel(void *response, void *barrier, int32_t multicast) {
  using namespace fairlead::cpu;
  auto [cluster, own] = blockInCluster();
  if (reinterpret_cast<uintptr_t>(response) % sizeof(Response))
    ownTensorMemory().noteProblem(
        "asks for another cluster (clusterlaunchcontrol.try_cancel), whose "
        "answer comes to an address that is no multiple of 16 bytes");
  const Response answer = respond(cluster ? &cluster->unstarted : ofThread);
  if (!cluster || !multicast) {
    std::memcpy(response, &answer, sizeof answer);
    return FairleadCpuMbarrier(barrier, kFairleadMbarrierComplete, sizeof answer);
  }
  for (size_t rank = 0; rank < cluster->size(); ++rank) {
    std::memcpy(cluster->map(response, own, rank), &answer, sizeof answer);
    FairleadCpuMbarrier(cluster->map(barrier, own, rank), kFairleadMbarrierComplete, sizeof answer);
  }
}
