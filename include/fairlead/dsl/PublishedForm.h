#ifndef FAIRLEAD_DSL_PUBLISHEDFORM_H_
#define FAIRLEAD_DSL_PUBLISHEDFORM_H_

#include "fairlead/Export.h"

namespace fairlead::dsl {

/// Makes programs print at run time in the form that tests and tools of published programs expect:
/// `print_tensor` with mode 0 fastest in its verbose form, values as a tensor of registers,
/// coordinates in padded columns; `print` at most 32 values, and elements only of layouts that are
/// known while tracing. Register tensors of several elements are then aligned to 32 bytes on every
/// target. Applies to the process; false by default.
FAIRLEAD_API void usePublishedForm(bool use);
FAIRLEAD_API bool usesPublishedForm();

} // namespace fairlead::dsl

#endif // FAIRLEAD_DSL_PUBLISHEDFORM_H_
