/// Properties of a target that follow from its name.
#include "fairlead/Target.h"

#include <utility>

namespace fairlead {

Target Target::cpu(std::string level) { return {Kind::Cpu, std::move(level)}; }
Target Target::cuda(std::string arch) { return {Kind::Cuda, std::move(arch)}; }

const TargetInfo &Target::info() const { return targetInfos()[static_cast<size_t>(kind)]; }

std::string Target::str() const {
  if (kind == Kind::Cpu)
    return arch.empty() ? "cpu" : "cpu:" + arch;
  return (arch.starts_with("compute_") ? "ptx:" : "cuda:") + arch;
}

const GpuArch *Target::gpu() const { return kind == Kind::Cuda ? findGpuArch(arch) : nullptr; }

int Target::capability() const {
  const GpuArch *row = gpu();
  return row ? row->capability() : 0;
}

bool Target::has(GpuFeature feature) const {
  const GpuArch *row = gpu();
  return row && row->has(feature);
}

bool Target::lacks(GpuFeature feature) const { return kind == Kind::Cuda && !has(feature); }

bool Target::isOlderThan(int leastCapability) const {
  return kind == Kind::Cuda && capability() < leastCapability;
}

int Target::ptxVersion() const {
  constexpr int kOldest = 80; // of CUDA 12.0
  const GpuArch *row = gpu();
  return row ? std::max(kOldest, row->ptx) : 0;
}

int64_t Target::sharedBytes() const {
  const GpuArch *row = gpu();
  return row && !arch.starts_with("compute_") ? row->sharedBytes : 0;
}

std::string Target::family() const {
  return kind == Kind::Cuda ? arch.substr(arch.find('_') + 1) : "cpu";
}

int Target::cpuLevel() const {
  if (kind == Kind::Cuda || arch.empty())
    return 0;
  return arch.ends_with("64") ? 1 : arch.back() - '0';
}

bool Target::isForThisMachine() const { return kind == Kind::Cpu && arch.empty(); }

std::string gpusWith(GpuFeature feature) {
  std::string names;
  for (const GpuArch &arch : gpuArchs())
    if (arch.has(feature) && arch.compiles())
      names += (names.empty() ? "sm_" : ", sm_") + std::string(arch.name);
  return names;
}

std::string joinTargets(const std::vector<Target> &targets) {
  std::string text;
  for (const Target &target : targets)
    text += (text.empty() ? "" : ", ") + target.str();
  return text;
}

// The kinds of targets.

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
