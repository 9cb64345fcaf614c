/// Arguments as the scalars that kernels, regions and loops are given. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_ARGUMENTPARTS_H_
#define FAIRLEAD_LIB_DSL_ARGUMENTPARTS_H_

#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// What of an argument is known only when the program runs. Throws fairlead::Error (TypeError,
/// KernelArgument) for a stream, which only host functions have.
Scalars partsOf(const Argument &argument);
/// The same argument of other parts: as many as there are.
Argument withParts(const Argument &argument, const Scalars &parts);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ARGUMENTPARTS_H_
