/// Launch options in addition to extents, stream and shared memory.
#pragma once

#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// A CUevent that a launch records: a 64-bit integer with its address, or what passes as a stream.
struct LaunchEvent {
  std::variant<Scalar, Stream> event;
  int flags = 0; ///< of cuEventRecordWithFlags
};

struct LaunchOptions {
  /// Blocks of a cluster; the grid is a multiple of it. From compute capability 9.0 on. The CPU has
  /// clusters of up to 16 blocks, and raises ValueError (LaunchCluster) for others.
  std::optional<std::array<Scalar, 3>> cluster = {};
  /// All blocks run at once, and may wait for each other. On the CPU, where blocks run one after
  /// another, a grid of more than one block raises ValueError.
  bool cooperative = false;
  /// Programmatic dependent launch: may start before the kernel ahead of it in the stream ends.
  bool programmatic = false;
  int minBlocksPerProcessor = 0;   ///< that the registers must suffice for; 0: any
  std::array<int, 3> maxThreads{}; ///< of a block; zeros: what `block` says
  // All below have no effect on the CPU.
  /// A cluster that is better than `cluster`, for devices that can mix two sizes (compute
  /// capability 10.0 and up).
  std::optional<std::array<Scalar, 3>> preferredCluster = {};
  int carveout = -1; ///< percent of the L1 cache for shared memory; -1: the device's choice
  std::optional<LaunchEvent> completionEvent = {};   ///< recorded when all blocks have started
  std::optional<LaunchEvent> programmaticEvent = {}; ///< recorded when all blocks have triggered it
  bool triggerAtBlockStart = false;                  ///< each block does so as it starts
};

/// Launches like Program::launch, with options. Throws fairlead::Error.
FAIRLEAD_API void launch(Program &program, const Kernel &kernel, const LaunchConfig &config,
                         const LaunchOptions &options);

} // namespace fairlead::dsl
