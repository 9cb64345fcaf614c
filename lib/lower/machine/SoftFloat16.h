/// Host arithmetic that would otherwise call a compiler's runtime library.
#ifndef FAIRLEAD_LIB_LOWER_MACHINE_SOFTFLOAT16_H_
#define FAIRLEAD_LIB_LOWER_MACHINE_SOFTFLOAT16_H_

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace fairlead::lower {

/// Rewrites operations on floats of 16 bits to operations on float, rounded back to nearest even by
/// integer operations: those on bfloat on every machine, as instructions for them drop subnormal
/// numbers, those on half where a function's machine
/// has no conversions, or its code is selected fast. In between such numbers
/// are integers of 16 bits, also as parameters and results of functions. Left to itself, LLVM calls
/// library functions, which not every process has and which do not vectorize.
void expandFloat16(llvm::Module &module, const llvm::TargetMachine &machine);

/// Rewrites divisions of more than 64 bits to loops, for the same reason.
void expandWideDivisions(llvm::Module &module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_MACHINE_SOFTFLOAT16_H_
