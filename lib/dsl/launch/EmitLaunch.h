/// Launches in the IR, and their limits. Internal to lib/dsl.
#pragma once

#include <array>
#include <string>

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "dsl/trace/Builder.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// Launches a kernel; `stream` is a stream or an ir::LaunchExtrasOp, or null.
mlir::gpu::LaunchFuncOp emitLaunch(Program::Impl &impl, const Kernel &kernel,
                                   const LaunchConfig &config, mlir::Value stream);

/// Emits `extent` as the i32 of a launch of `kernel`. An extent that does not fit 32 bits is an
/// error of the compile if it is constant, or of the call (LaunchExtentRange names it by `what`:
/// "grid[0]"). So is a wrapping Int32 sum or product that the extent is computed from.
mlir::Value emitExtent(Program::Impl &impl, const Scalar &extent, const std::string &kernel,
                       const std::string &what);

/// Throws SharedSize if one of the program's GPUs has less shared memory per block than
/// `bytes`. `asker` ends the message, and says which of these bytes the code at hand asks for.
void requireSharedCapacity(const Program::Impl &impl, int64_t bytes, const std::string &asker);

/// Throws LaunchBlockSize if a block has no threads or too many, and LaunchGridNegative. Extents
/// known only at run time, and all of published programs, are left to the launch.
void requireExtents(const std::array<Scalar, 3> &block, const std::array<Scalar, 3> &grid,
                    const std::string &kernel);

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
