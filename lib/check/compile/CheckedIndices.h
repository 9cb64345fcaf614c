/// Lowering of the notes that tracing leaves for checks: fairlead.index and fairlead.tensor.
#ifndef FAIRLEAD_LIB_CHECK_COMPILE_CHECKEDINDICES_H_
#define FAIRLEAD_LIB_CHECK_COMPILE_CHECKEDINDICES_H_

#include "check/compile/CheckBuilder.h"

namespace fairlead::check {

/// Replaces the notes among the operations by checks.
void lowerNotes(CheckBuilder &checks, llvm::ArrayRef<mlir::Operation *> ops);

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_COMPILE_CHECKEDINDICES_H_
