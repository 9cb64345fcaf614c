/// How values differ from thread to thread.
#pragma once

#include <cstdint>

#include "fairlead/TargetInfo.h"

namespace fairlead::lower {

inline constexpr int32_t kWarpThreads = TargetInfo::kWarpThreads,
                         kWarpgroupThreads = TargetInfo::kWarpgroupThreads;

/// How a value differs between threads that run the same code.
enum class Divergence : uint8_t {
  Block,          ///< the same in all threads of a block
  Warpgroup,      ///< the same in the threads of a warpgroup
  WarpIndex,      ///< an integer 4 g + the warp's index in its warpgroup, with g as Warpgroup
  Warp,           ///< the same in the lanes of a warp
  WarpgroupIndex, ///< an integer 128 g + the thread's index in its warpgroup, with g as Warpgroup
  Lane,           ///< an integer 32 w + lane, with w as Warp
  Any,
};

inline bool isSameInWarp(Divergence divergence) { return divergence <= Divergence::Warp; }

} // namespace fairlead::lower
