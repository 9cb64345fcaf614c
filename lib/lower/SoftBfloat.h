/// bfloat16 arithmetic for hosts without it.
#ifndef FAIRLEAD_LIB_LOWER_SOFTBFLOAT_H_
#define FAIRLEAD_LIB_LOWER_SOFTBFLOAT_H_

#include "llvm/IR/Module.h"

namespace fairlead::lower {

/// Rewrites every scalar operation on bfloat to one on float, rounded back to nearest even by
/// integer operations. Left to itself, LLVM calls library functions for the rounding, which not
/// every libgcc has and which do not vectorize.
void expandBfloat(llvm::Module &module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_SOFTBFLOAT_H_
