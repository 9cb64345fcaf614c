/// GPU architectures: what each one has, and which tools know it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fairlead {

enum class GpuFeature {
#define FAIRLEAD_GPU_FEATURE(enumerator, name) enumerator,
#include "fairlead/GpuArchs.def"
};

/// The version of LLVM that this compiler is built with.
constexpr int kLlvmVersion = 22;

/// A row of GpuArchs.def, which documents the members.
struct GpuArch {
  std::string_view name; ///< "90a"
  int family;
  int ptx;
  int llvm;
  int firstCuda, lastCuda;
  int64_t sharedBytes; ///< of a block at most; 0 if it is not known
  uint32_t features;

  constexpr bool has(GpuFeature feature) const { return features >> static_cast<int>(feature) & 1; }
  /// 'a', 'f' or 0.
  constexpr char suffix() const { return name.back() > '9' ? name.back() : 0; }
  /// 10 * major + minor: 103 for "103a".
  constexpr int capability() const {
    int number = 0;
    for (char c : name)
      if (c <= '9')
        number = 10 * number + (c - '0');
    return number;
  }
  /// True if this compiler makes PTX for it.
  constexpr bool compiles() const { return llvm <= kLlvmVersion; }
};

namespace gpuarch {

template <typename... Features> constexpr uint32_t setOf(Features... features) {
  return (0u | ... | (1u << static_cast<int>(features)));
}

constexpr uint32_t kMaxwell = 0;
constexpr uint32_t kTuring = setOf(GpuFeature::LoadMatrix);
constexpr uint32_t kAmpere =
    kTuring | setOf(GpuFeature::AsyncCopy, GpuFeature::PackedConversion, GpuFeature::WarpMma);
constexpr uint32_t kHopper =
    kAmpere | setOf(GpuFeature::StoreMatrix, GpuFeature::Mbarrier, GpuFeature::Tma,
                    GpuFeature::Clusters, GpuFeature::DependentLaunch);
constexpr uint32_t kBlackwell = kHopper | setOf(GpuFeature::PackedFloat32);
constexpr uint32_t kSpecific = setOf(GpuFeature::RegisterCount, GpuFeature::TensorMapEdit);
constexpr uint32_t kWarpgroups = setOf(GpuFeature::WarpgroupMma);
constexpr uint32_t kSpecificBlackwell =
    setOf(GpuFeature::ClusterLaunchControl, GpuFeature::LoadByteMatrix);
constexpr uint32_t kTensorMemory = setOf(GpuFeature::TensorMemory);
constexpr uint32_t kTensorMemoryInt8 = setOf(GpuFeature::TensorMemoryInt8);
constexpr uint32_t kFloatReduction = setOf(GpuFeature::FloatReduction);
constexpr uint32_t kWarpBlockScale = setOf(GpuFeature::WarpBlockScale);

inline constexpr GpuArch kArchs[] = {
#define FAIRLEAD_GPU(name, family, ptx, llvm, firstCuda, lastCuda, kib, features)                  \
  {name, family, ptx, llvm, firstCuda, lastCuda, int64_t{kib} * 1024, features},
#include "fairlead/GpuArchs.def"
};

struct RenamedArch {
  std::string_view before, now;
};
inline constexpr RenamedArch kRenamed[] = {
#define FAIRLEAD_GPU_RENAMED(before, now) {before, now},
#include "fairlead/GpuArchs.def"
};

inline constexpr std::string_view kFeatureNames[] = {
#define FAIRLEAD_GPU_FEATURE(enumerator, name) name,
#include "fairlead/GpuArchs.def"
};

} // namespace gpuarch

/// All rows, oldest architecture first. This compiler does not support all of them yet.
constexpr std::span<const GpuArch> gpuArchs() { return gpuarch::kArchs; }

/// The row of "sm_90a", "compute_90a" or "90a", or of the name that replaced it; null for others.
constexpr const GpuArch *findGpuArch(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find('_') + 1));
  for (const gpuarch::RenamedArch &row : gpuarch::kRenamed)
    if (row.before == name)
      name = row.now;
  for (const GpuArch &arch : gpuArchs())
    if (arch.name == name)
      return &arch;
  return nullptr;
}

/// The family of the GPUs of a compute capability (10 * major + minor); 0 without one. For GPUs
/// that the table lacks it is a number of its own for each major version.
constexpr int gpuFamily(int capability) {
  for (const GpuArch &arch : gpuArchs())
    if (arch.capability() == capability)
      return arch.family;
  return capability / 10 * 10;
}

/// The least compute capability (10 * major + minor) whose plain architecture has the feature, as
/// all later ones do; 0 if only architectures with a suffix have it.
constexpr int leastCapability(GpuFeature feature) {
  for (const GpuArch &arch : gpuArchs())
    if (!arch.suffix() && arch.has(feature))
      return arch.capability();
  return 0;
}

/// "12.9" for 129.
inline std::string versionText(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// "CUDA 12.8 or newer", "CUDA 9.0 to 12.9": whose ptxas assembles for the architecture.
inline std::string assemblersOf(const GpuArch &arch) {
  return "CUDA " + versionText(arch.firstCuda) +
         (arch.lastCuda ? " to " + versionText(arch.lastCuda) : std::string(" or newer"));
}

} // namespace fairlead
