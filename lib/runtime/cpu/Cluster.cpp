#include "runtime/cpu/Cluster.h"

#include <cstdlib>
#include <utility>

#include "fairlead/AsyncCpu.h"
#include "runtime/cpu/BlockThreads.h"

namespace fairlead::cpu {
namespace {

constexpr size_t kAlignment = 1024; // what kernels may count on

template <size_t... kIndices>
std::array<std::binary_semaphore, kMaxClusterBlocks> makeTurns(std::index_sequence<kIndices...>) {
  return {std::binary_semaphore(kIndices == 0 ? 1 : 0)...};
}

} // namespace

Cluster::Cluster(size_t blocks, size_t shared)
    : blocks(blocks), stride((shared + kAlignment - 1) / kAlignment * kAlignment),
      turns(makeTurns(std::make_index_sequence<kMaxClusterBlocks>())), running(blocks) {
  if (stride)
    memory = static_cast<char *>(std::aligned_alloc(kAlignment, stride * blocks));
}

Cluster::~Cluster() { std::free(memory); }

void Cluster::giveTurn(size_t after) {
  for (size_t i = 1; i <= blocks; ++i)
    if (size_t next = (after + i) % blocks; !ended[next])
      return turns[next].release();
}

void Cluster::end(size_t rank) {
  members[rank] = nullptr;
  ended[rank] = true;
  quiet = asking = 0;
  if (--running > 0)
    return giveTurn(rank);
  // The threads go on with the next cluster, if any.
  ended.fill(false);
  running = blocks;
  initialized.clear();
  early.clear();
  turns[0].release();
}

bool Cluster::pass(size_t rank, bool moved, bool asked) {
  if (moved) {
    quiet = asking = 0;
  } else {
    ++quiet;
    asking += asked;
    if (quiet > kMostPolls * running || (quiet >= running && asking == 0))
      return false;
  }
  if (running > 1) {
    giveTurn(rank);
    turns[rank].acquire();
  }
  return true;
}

void Cluster::tryRelease() {
  for (size_t rank = 0; rank < blocks; ++rank)
    if (!ended[rank] && !(members[rank] && members[rank]->hasArrived()))
      return;
  for (ClusterMember *member : members)
    if (member)
      member->release();
}

std::string Cluster::describeOthers(size_t rank) const {
  std::string text;
  for (size_t other = 0; other < blocks; ++other)
    if (other != rank && ended[other])
      text += "; block " + std::to_string(other) + " of the cluster has ended";
    else if (other != rank && members[other])
      text += "; " + members[other]->describeIn();
  return text;
}

} // namespace fairlead::cpu

void *FairleadCpuMapShared(void *address, int32_t rank) {
  auto [cluster, own] = fairlead::cpu::blockInCluster();
  // A rank that the cluster does not have is undefined on a GPU; here it must not leave the memory.
  if (!cluster || rank < 0 || static_cast<size_t>(rank) >= cluster->size())
    return address;
  return cluster->map(address, own, static_cast<size_t>(rank));
}

void FairleadCpuTensorMulticast(const FairleadTensorMap *map, void *shared, void *barrier,
                                int32_t blocks, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
                                int32_t c4) {
  auto [cluster, own] = fairlead::cpu::blockInCluster();
  if (!cluster || !shared)
    return FairleadCpuTensorCopy(map, shared, barrier, kFairleadBoxLoad, c0, c1, c2, c3, c4);
  const bool ofPairs = blocks & kFairleadBlocksOfPairs;
  if (blocks == kFairleadBlocksOfPairs)
    blocks |= 1 << own;
  for (size_t rank = 0; rank < cluster->size(); ++rank)
    if (blocks >> rank & 1)
      FairleadCpuTensorCopy(map, cluster->map(shared, own, rank),
                            cluster->map(barrier, own, ofPairs ? rank & ~size_t{1} : rank),
                            kFairleadBoxLoad, c0, c1, c2, c3, c4);
}

void FairleadCpuBulkMulticast(void *target, const void *source, int32_t bytes, void *barrier,
                              int32_t blocks) {
  auto [cluster, own] = fairlead::cpu::blockInCluster();
  if (!cluster || !target)
    return FairleadCpuBulkCopy(target, source, bytes, barrier);
  for (size_t rank = 0; rank < cluster->size(); ++rank)
    if (blocks >> rank & 1)
      FairleadCpuBulkCopy(cluster->map(target, own, rank), source, bytes,
                          cluster->map(barrier, own, rank));
}
