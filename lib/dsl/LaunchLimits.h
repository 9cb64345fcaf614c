/// What the GPUs that a program is compiled for refuse, as far as it is known while tracing.
#ifndef FAIRLEAD_LIB_DSL_LAUNCHLIMITS_H_
#define FAIRLEAD_LIB_DSL_LAUNCHLIMITS_H_

#include <array>
#include <string>

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// Throws SharedSize where a block of one of the program's GPUs has less shared memory than
/// `bytes`. `asker` ends the message: ", of which ... 1024 are asked for here".
void requireSharedCapacity(const Program::Impl &impl, int64_t bytes, const std::string &asker);

/// Throws LaunchCluster where a cluster has too many blocks, or its extents do not divide those of
/// the grid, and AtomArchitecture where a GPU has no clusters. Extents of run time are left to the
/// launch.
void requireCluster(const std::array<Scalar, 3> &cluster, const std::array<Scalar, 3> &grid,
                    const std::string &kernel);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_LAUNCHLIMITS_H_
