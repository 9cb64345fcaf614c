/// Arguments as the scalars that kernels, regions and loops take. Internal to lib/dsl.
#pragma once

#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// Returns the parts of an argument that are known only when the program runs. Throws
/// fairlead::Error (TypeError, KernelArgument) for a stream, which only host functions have.
Scalars partsOf(const Argument &argument);
/// Returns the argument with its parts replaced by `parts`, which has the same number.
Argument withParts(const Argument &argument, const Scalars &parts);

} // namespace fairlead::dsl
