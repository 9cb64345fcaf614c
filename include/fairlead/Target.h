/// Targets of device code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Export.h"
#include "fairlead/GpuArch.h"
#include "fairlead/TargetInfo.h"

namespace fairlead {

struct Target {
  /// Kinds of targets, in the order of targetInfos(). Ask info() for the facts about a kind.
  enum class Kind { Cpu, Cuda };
  Kind kind = Kind::Cpu;
  /// CUDA: "sm_90a" for machine code (PTX if the assembler is missing), "compute_90" for PTX that
  /// the driver compiles. CPU: "" for the compiling machine, or the minimum level that a machine
  /// needs: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4".
  std::string arch;

  FAIRLEAD_API static Target cpu(std::string level = "");
  FAIRLEAD_API static Target cuda(std::string arch);

  /// The facts that hold for all targets of the kind.
  FAIRLEAD_API const TargetInfo &info() const;
  /// "cpu", "cpu:x86-64-v3", "cuda:sm_90a" or "ptx:compute_90".
  FAIRLEAD_API std::string str() const;
  /// The compute capability of a CUDA target, 10 * major + minor: 90 for "sm_90a". 0 for the CPU.
  FAIRLEAD_API int capability() const;
  /// The row of the table of GPU architectures; null for the CPU.
  FAIRLEAD_API const GpuArch *gpu() const;
  /// True if it is a GPU with the feature.
  FAIRLEAD_API bool has(GpuFeature feature) const;
  /// True if it is a GPU without the feature, or of a lower compute capability. The CPU lacks
  /// neither: it runs operations of every GPU.
  FAIRLEAD_API bool lacks(GpuFeature feature) const;
  FAIRLEAD_API bool isOlderThan(int leastCapability) const;
  /// The lowest version of the PTX ISA that has the architecture and that Fairlead emits,
  /// 10 * major + minor; 0 for the CPU. Low versions load on old drivers.
  FAIRLEAD_API int ptxVersion() const;
  /// Most bytes of shared memory that a block can have; 0 if it is not known, as for the CPU and
  /// for PTX, which later GPUs run too.
  FAIRLEAD_API int64_t sharedBytes() const;
  /// Targets of one family share a trace: "90a" for CUDA, "cpu" for every level of the CPU.
  FAIRLEAD_API std::string family() const;
  /// The level of a CPU target: 1 for "x86-64" to 4 for "x86-64-v4"; 0 for the compiling machine.
  FAIRLEAD_API int cpuLevel() const;
  /// True for "cpu": its code is for the processor of the compiling machine.
  FAIRLEAD_API bool isForThisMachine() const;
  /// Parses `cpu`, `cpu:x86-64-v3`, `cuda` (the machine's GPU), `cuda:sm_90a`, `sm_90a`,
  /// `ptx:compute_90`, `compute_90`. Throws fairlead::Error (ValueError) naming `origin` (an option
  /// or environment variable) and the accepted forms.
  FAIRLEAD_API static Target parse(std::string_view text, std::string_view origin);
  /// Several, joined by commas, each once; `cpu:any` stands for x86-64, x86-64-v3 and x86-64-v4.
  /// Throws like parse.
  FAIRLEAD_API static std::vector<Target> parseList(std::string_view text, std::string_view origin);
  /// FAIRLEAD_TARGET, else CUTE_DSL_ARCH, else the machine's first GPU, else the CPU.
  FAIRLEAD_API static Target detect();

  friend bool operator==(const Target &a, const Target &b) {
    return a.kind == b.kind && a.arch == b.arch;
  }
};

/// The compiler's GPU architectures that have the feature: "sm_90a, sm_100a".
FAIRLEAD_API std::string gpusWith(GpuFeature feature);

/// "cuda:sm_80, cuda:sm_90a, cpu"
FAIRLEAD_API std::string joinTargets(const std::vector<Target> &targets);

} // namespace fairlead
