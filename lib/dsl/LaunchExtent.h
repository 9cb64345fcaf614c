/// Extents of launches.
#ifndef FAIRLEAD_LIB_DSL_LAUNCHEXTENT_H_
#define FAIRLEAD_LIB_DSL_LAUNCHEXTENT_H_

#include <string>

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// `extent` as the i32 of a launch of `kernel`. What does not fit 32 bits is an error: of the
/// compile where it is known, else of the call (LaunchExtentRange names it by `what`: "grid[0]").
/// So is a sum or product of Int32 that wraps, of those that the extent is computed from.
mlir::Value emitExtent(Program::Impl &impl, const Scalar &extent, const std::string &kernel,
                       const std::string &what);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_LAUNCHEXTENT_H_
