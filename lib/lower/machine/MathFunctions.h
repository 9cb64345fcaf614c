/// Mathematical functions of CPU code. They give the same value for the same input in vector and
/// scalar code, on every processor.
#ifndef FAIRLEAD_LIB_LOWER_MACHINE_MATHFUNCTIONS_H_
#define FAIRLEAD_LIB_LOWER_MACHINE_MATHFUNCTIONS_H_

#include "llvm/IR/Module.h"

namespace fairlead::lower {

/// Prefix of the names of mathematical functions: FairleadMath_exp of double, FairleadMath_expf
/// of float.
inline constexpr char kMathPrefix[] = "FairleadMath_";

/// Declares the effects of mathematical functions to LLVM, and the names of their vector forms.
/// Call this before the module is optimised.
void declareMathFunctions(llvm::Module &module);

/// Defines the mathematical functions that the optimised module calls, and inlines those with few
/// calls. Throws fairlead::Error (CompileFailed).
void defineMathFunctions(llvm::Module &module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_MACHINE_MATHFUNCTIONS_H_
