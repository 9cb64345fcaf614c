/// What a launch can ask for beyond extents, stream and shared memory.
#ifndef FAIRLEAD_DSL_LAUNCHOPTIONS_H_
#define FAIRLEAD_DSL_LAUNCHOPTIONS_H_

#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

struct LaunchOptions {
  /// Blocks of a cluster; the grid is a multiple of it. From compute capability 9.0 on. The CPU has
  /// clusters of one block only, and raises ValueError (LaunchCluster) for others.
  std::optional<std::array<Scalar, 3>> cluster;
  /// All blocks run at once, and may wait for each other. On the CPU, where blocks run one after
  /// another, a grid of more than one block raises ValueError.
  bool cooperative = false;
  /// Programmatic dependent launch: may start before the kernel ahead of it in the stream ends.
  bool programmatic = false;
  int minBlocksPerProcessor = 0;   ///< that the registers must suffice for; 0: any
  std::array<int, 3> maxThreads{}; ///< of a block; zeros: what `block` says
};

/// As Program::launch, with options. Throws fairlead::Error.
FAIRLEAD_API void launch(Program &program, const Kernel &kernel, const LaunchConfig &config,
                         const LaunchOptions &options);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_LAUNCHOPTIONS_H_
