#include "runtime/cpu/BlockThreads.h"

#include <cstdio>

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

uint32_t shuffle(FairleadCpuThread *lanes, uint32_t group) {
  uint32_t inVain = 0;
  forEachLane(group, [&](int lane) {
    int source = sourceLane(lanes[lane], lane);
    // The value of an absent lane is undefined; the reader gets its own value here.
    const bool present = group >> source & 1;
    lanes[lane].result = lanes[present ? source : lane].value;
    inVain |= uint32_t{!present} << lane;
  });
  return inVain;
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

std::string collectiveName(int32_t wait, uint32_t mask) {
  const char *what = wait == kFairleadWaitWarp               ? "sync_warp"
                     : wait <= kFairleadWaitShuffleButterfly ? "a shuffle"
                                                             : "a vote";
  char lanes[16];
  std::snprintf(lanes, sizeof lanes, "0x%08x", mask);
  return std::string(what) + " of lanes " + lanes;
}

uint32_t meet(FairleadCpuThread *lanes, uint32_t group) {
  const int32_t kind = lanes[__builtin_ctz(group)].wait;
  if (kind >= kFairleadWaitVoteAny)
    vote(lanes, group, kind);
  else if (kind >= kFairleadWaitShuffleIndex)
    return shuffle(lanes, group);
  return 0;
}

} // namespace fairlead::cpu
