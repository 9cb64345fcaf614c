#ifndef FAIRLEAD_DSL_KNOWNINDICES_H_
#define FAIRLEAD_DSL_KNOWNINDICES_H_

#include "fairlead/Export.h"

namespace fairlead::dsl {

/// Sets, for the process, if an out-of-range index that is known while tracing is an error
/// (default: it is). Published programs have such accesses under conditions that are false at run
/// time. Without the check, addresses follow the layout, reads of registers return zero, and writes
/// to registers do nothing.
FAIRLEAD_API void checkKnownIndices(bool check);

} // namespace fairlead::dsl

#endif // FAIRLEAD_DSL_KNOWNINDICES_H_
