/// Extents of launches.
#ifndef FAIRLEAD_LIB_DSL_LAUNCH_LAUNCHEXTENT_H_
#define FAIRLEAD_LIB_DSL_LAUNCH_LAUNCHEXTENT_H_

#include <string>

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Emits `extent` as the i32 of a launch of `kernel`. An extent that does not fit 32 bits is an
/// error of the compile if it is constant, or of the call (LaunchExtentRange names it by `what`:
/// "grid[0]"). So is a wrapping Int32 sum or product that the extent is computed from.
mlir::Value emitExtent(Program::Impl &impl, const Scalar &extent, const std::string &kernel,
                       const std::string &what);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_LAUNCH_LAUNCHEXTENT_H_
