/// The facts that the compiler asks about a kind of target.
#pragma once

#include <span>
#include <string_view>

#include "dlpack/dlpack.h"
#include "fairlead/Export.h"

namespace fairlead {

/// A kind of target: a row of the table in lib/target/Target.cpp. Facts that differ between
/// the GPUs of a kind are in GpuArchs.def.
struct TargetInfo {
  /// Threads of a warp and of a warpgroup on every target: kernels rely on these numbers.
  static constexpr int kWarpThreads = 32, kWarpgroupThreads = 128;

  /// "cpu", "cuda".
  std::string_view name;
  /// The device of the tensors that a function takes.
  DLDeviceType deviceType;
  /// True if kernels are device images, which a driver loads and launches by number. All targets of
  /// such a kind share one host program. False if kernels are functions of the host program.
  bool kernelsInImages;
  /// True if host code can dereference every tensor argument.
  bool hostReadsTensors;
  /// True if the runtime runs the threads of a block itself. It can then run them in an order that
  /// the user chooses, and checked kernels can report more than indices out of bounds.
  bool schedulesThreads;
  /// True if a vector in memory must be aligned to its size.
  bool alignsVectors;
};

/// All kinds, in the order of Target::Kind.
FAIRLEAD_API std::span<const TargetInfo> targetInfos();

} // namespace fairlead
