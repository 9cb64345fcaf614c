/// The kinds of targets.
#include "fairlead/Target.h"

namespace fairlead {
namespace {

constexpr uint32_t allSpaces() {
  uint32_t spaces = 0;
  for (AddressSpace space : kAddressSpaces)
    spaces |= 1u << static_cast<int>(space);
  return spaces;
}

constexpr uint32_t without(AddressSpace space) {
  return allSpaces() & ~(1u << static_cast<int>(space));
}

constexpr TargetInfo kInfos[] = {
    {
        .name = "cpu",
        .deviceType = kDLCPU,
        .spaces = without(AddressSpace::Tensor),
        .kernelsInImages = false,
        .hostReadsTensors = true,
        .schedulesThreads = true,
        .alignsVectors = false,
    },
    {
        .name = "cuda",
        .deviceType = kDLCUDA,
        .spaces = allSpaces(),
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
