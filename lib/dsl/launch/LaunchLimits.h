/// Limits of the GPUs that a program is compiled for, checked while tracing.
#ifndef FAIRLEAD_LIB_DSL_LAUNCH_LAUNCHLIMITS_H_
#define FAIRLEAD_LIB_DSL_LAUNCH_LAUNCHLIMITS_H_

#include <array>
#include <string>

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Throws SharedSize if one of the program's GPUs has less shared memory per block than
/// `bytes`. `asker` ends the message, and says which of these bytes the code at hand asks for.
void requireSharedCapacity(const Program::Impl &impl, int64_t bytes, const std::string &asker);

/// Throws LaunchCluster if a cluster has too many blocks, or its extents do not divide the grid's,
/// and AtomArchitecture if a GPU has no clusters. Extents known only at run time are left to the
/// launch.
void requireCluster(const std::array<Scalar, 3> &cluster, const std::array<Scalar, 3> &grid,
                    const std::string &kernel);

/// Throws PairsMixed and PairsInCluster, as checkPairs, for a kernel that is launched in clusters
/// of this size.
void requirePairs(const Program::Impl &impl, const std::string &kernel,
                  const std::array<Scalar, 3> &cluster);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_LAUNCH_LAUNCHLIMITS_H_
