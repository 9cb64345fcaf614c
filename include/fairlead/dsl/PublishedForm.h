#ifndef FAIRLEAD_DSL_PUBLISHEDFORM_H_
#define FAIRLEAD_DSL_PUBLISHEDFORM_H_

#include "fairlead/Export.h"

namespace fairlead::dsl {

/// Whether programs print at run time as published programs of other packages do, for which tests
/// and tools look: `print_tensor` with mode 0 fastest in its verbose form, values as a tensor of
/// registers, coordinates in padded columns; `print` at most 32 values, and elements of layouts
/// that are known while tracing alone. Register tensors of several elements are then aligned to 32
/// bytes on every target. Of the process; false at first.
FAIRLEAD_API void usePublishedForm(bool use);
FAIRLEAD_API bool usesPublishedForm();

} // namespace fairlead::dsl

#endif // FAIRLEAD_DSL_PUBLISHEDFORM_H_
