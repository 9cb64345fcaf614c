/// Operations of the dialect by their names.
#ifndef FAIRLEAD_DSL_OPERATION_H_
#define FAIRLEAD_DSL_OPERATION_H_

#include <string_view>

#include "fairlead/dsl/Scalar.h"
#include "fairlead/dsl/SourceLoc.h"

namespace fairlead::dsl {

/// Emits the operation `fairlead.<name>` in the kernel being traced. Returns its results; integers
/// are unsigned. For operations that take only numbers and that need no attributes; the functions
/// of the DSL call it. Throws fairlead::Error: RuntimeError (OutsideKernel), TypeError
/// (OperationOperands), or AtomArchitecture or AtomFamily if a target lacks the instruction.
FAIRLEAD_API Scalars operation(std::string_view name, const Scalars &operands,
                               SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_OPERATION_H_
