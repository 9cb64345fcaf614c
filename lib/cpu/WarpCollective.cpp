#include "cpu/WarpCollective.h"

namespace fairlead::cpu {
namespace {

template <typename Visit> void forEachLane(uint32_t group, Visit visit) {
  for (; group; group &= group - 1)
    visit(__builtin_ctz(group));
}

/// The lane that `lane` reads from, by the rules of PTX's shfl.sync; itself when that is out of
/// bounds.
int sourceLane(const FairleadCpuThread &thread, int lane) {
  const int offset = thread.first & 31, clamp = thread.second & 31,
            segments = (thread.second >> 8) & 31;
  const int least = lane & segments, most = least | (clamp & ~segments);
  switch (thread.wait) {
  case kFairleadWaitShuffleUp:
    return lane - offset >= most ? lane - offset : lane;
  case kFairleadWaitShuffleDown:
    return lane + offset <= most ? lane + offset : lane;
  case kFairleadWaitShuffleButterfly:
    return (lane ^ offset) <= most ? lane ^ offset : lane;
  default: {
    int source = least | (offset & ~segments);
    return source <= most ? source : lane;
  }
  }
}

void shuffle(FairleadCpuThread *lanes, uint32_t group) {
  forEachLane(group, [&](int lane) {
    int source = sourceLane(lanes[lane], lane);
    // What a lane that takes no part would give is undefined; here it is the reader's own value.
    lanes[lane].result = lanes[group >> source & 1 ? source : lane].value;
  });
}

void vote(FairleadCpuThread *lanes, uint32_t group, int32_t kind) {
  uint32_t yes = 0;
  forEachLane(group, [&](int lane) { yes |= uint32_t(lanes[lane].value != 0) << lane; });
  int32_t result = static_cast<int32_t>(yes);
  if (kind == kFairleadWaitVoteAny)
    result = yes != 0;
  else if (kind == kFairleadWaitVoteAll)
    result = yes == group;
  else if (kind == kFairleadWaitVoteUniform)
    result = yes == group || yes == 0;
  forEachLane(group, [&](int lane) { lanes[lane].result = result; });
}

} // namespace

void meet(FairleadCpuThread *lanes, uint32_t group) {
  const int32_t kind = lanes[__builtin_ctz(group)].wait;
  if (kind >= kFairleadWaitVoteAny)
    vote(lanes, group, kind);
  else if (kind >= kFairleadWaitShuffleIndex)
    shuffle(lanes, group);
}

} // namespace fairlead::cpu
