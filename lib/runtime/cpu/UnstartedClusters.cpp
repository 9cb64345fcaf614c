#include "runtime/cpu/UnstartedClusters.h"

#include <cstring>
#include <limits>
#include <utility>

#include "fairlead/AsyncCpu.h"
#include "runtime/cpu/Cluster.h"
#include "runtime/cpu/LaunchCheck.h"
#include "runtime/cpu/LaunchObserver.h"
#include "runtime/cpu/TensorMemory.h"

namespace fairlead::cpu {

std::array<int32_t, 3> firstBlockOf(const FairleadLaunch &launch, uint64_t cluster) {
  std::array<int32_t, 3> first{};
  if (!cluster) // without the divisions, which take longer than the rest of a small launch
    return first;
  for (int d = 0; d < 3; ++d) {
    const auto extent = static_cast<uint64_t>(clusterExtent(launch, d));
    const uint64_t along = static_cast<uint64_t>(launch.grid[d]) / extent;
    first[static_cast<size_t>(d)] = static_cast<int32_t>(cluster % along * extent);
    cluster /= along;
  }
  return first;
}

namespace {

/// The answer of a GPU is opaque; this one is read by fairlead.query_cancel.
struct Response {
  std::array<int32_t, 3> firstBlock;
  int32_t cancelled;
};

/// Returns the clusters that the running block may take over, or null.
UnstartedClusters *unstartedOfBlock() {
  const ThreadState &thread = ThreadState::own();
  return thread.place.cluster ? &thread.place.cluster->unstarted : thread.launch.unstarted;
}

Response respond(UnstartedClusters *unstarted) {
  if (!unstarted)
    return {};
  if (std::exchange(unstarted->hasRefused, unstarted->next >= unstarted->end))
    ownTensorMemory().noteProblem(
        "asks for another cluster (clusterlaunchcontrol.try_cancel) after "
        "an answer that none is left");
  if (std::optional<uint64_t> cluster = unstarted->take())
    return {firstBlockOf(*unstarted->launch, *cluster), 1};
  if (LaunchObserver *observer = LaunchObserver::ofThreads())
    observer->refuseCluster();
  return {};
}

/// The first block of a refusal has no value.
void write(const Response &answer, void *target, ValueObserver *values) {
  std::memcpy(target, &answer, sizeof answer);
  if (!values)
    return;
  values->set(target, sizeof answer);
  if (!answer.cancelled)
    values->unset(target, sizeof answer.firstBlock);
}

} // namespace

int64_t sharedBytesOfBlock() {
  const UnstartedClusters *unstarted = unstartedOfBlock();
  return unstarted ? unstarted->launch->shared_bytes : std::numeric_limits<int64_t>::max();
}

} // namespace fairlead::cpu

void FairleadCpuTryCancel(void *response, void *barrier, int32_t multicast) {
  using namespace fairlead::cpu;
  const IssuedValues issued;
  auto [cluster, own] = blockInCluster();
  if (reinterpret_cast<uintptr_t>(response) % sizeof(Response))
    ownTensorMemory().noteProblem(
        "asks for another cluster (clusterlaunchcontrol.try_cancel), whose "
        "answer comes to an address that is no multiple of 16 bytes");
  const Response answer = respond(unstartedOfBlock());
  if (!cluster || !multicast) {
    write(answer, response, issued.get());
    return FairleadCpuMbarrier(barrier, kFairleadMbarrierComplete, sizeof answer);
  }
  for (size_t rank = 0; rank < cluster->size(); ++rank) {
    write(answer, cluster->map(response, own, rank), issued.get());
    FairleadCpuMbarrier(cluster->map(barrier, own, rank), kFairleadMbarrierComplete, sizeof answer);
  }
}
