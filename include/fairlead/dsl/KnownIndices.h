#ifndef FAIRLEAD_DSL_KNOWNINDICES_H_
#define FAIRLEAD_DSL_KNOWNINDICES_H_

#include "fairlead/Export.h"

namespace fairlead::dsl {

/// Whether an index that is known while tracing and outside of a tensor is an error, which it is at
/// first. Published programs have such accesses behind conditions that are false when they run:
/// without the check, addresses are those of the layout, reads of registers give zero, and writes
/// to registers do nothing. Of the process.
FAIRLEAD_API void checkKnownIndices(bool check);

} // namespace fairlead::dsl

#endif // FAIRLEAD_DSL_KNOWNINDICES_H_
