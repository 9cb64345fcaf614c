/// The kinds of targets.
#include "fairlead/Target.h"

namespace fairlead {
namespace {

constexpr TargetInfo kInfos[] = {
    {
        .name = "cpu",
        .deviceType = kDLCPU,
        .kernelsInImages = false,
        .hostReadsTensors = true,
        .schedulesThreads = true,
        .alignsVectors = false,
    },
    {
        .name = "cuda",
        .deviceType = kDLCUDA,
        .kernelsInImages = true,
        .hostReadsTensors = false,
        .schedulesThreads = false,
        .alignsVectors = true,
    },
};
static_assert(kInfos[static_cast<int>(Target::Kind::Cpu)].deviceType == kDLCPU &&
              kInfos[static_cast<int>(Target::Kind::Cuda)].deviceType == kDLCUDA);

} // namespace

std::span<const TargetInfo> targetInfos() { return kInfos; }

} // namespace fairlead
