/// Exchange of values between the lanes of a warp that meet.
#ifndef FAIRLEAD_LIB_RUNTIME_CPU_WARPCOLLECTIVE_H_
#define FAIRLEAD_LIB_RUNTIME_CPU_WARPCOLLECTIVE_H_

#include <cstdint>
#include <string>

#include "fairlead/Runtime.h"
#include "fairlead/TargetInfo.h"

namespace fairlead::cpu {

/// "a shuffle of lanes 0xffffffff", of a FairleadWait.
std::string collectiveName(int32_t wait, uint32_t mask);

constexpr int kWarpSize = TargetInfo::kWarpThreads;

/// Sets `result` of the lanes in `group`; they all wait for the same operation. `lanes` holds the
/// threads of the warp that the block has. Returns the lanes that read from an absent lane.
uint32_t meet(FairleadCpuThread *lanes, uint32_t group);

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_RUNTIME_CPU_WARPCOLLECTIVE_H_
