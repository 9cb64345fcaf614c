/// Mathematical functions of code for the CPU: one value for one input, in vectors and out of them,
/// on every processor.
#ifndef FAIRLEAD_LIB_LOWER_MATHFUNCTIONS_H_
#define FAIRLEAD_LIB_LOWER_MATHFUNCTIONS_H_

#include "llvm/IR/Module.h"

namespace fairlead::lower {

/// Begins the names of mathematical functions that code calls: FairleadMath_exp of double,
/// FairleadMath_expf of float.
inline constexpr char kMathPrefix[] = "FairleadMath_";

/// Before a module is optimised: tells what LLVM may do with calls of mathematical functions, and
/// names their forms for vectors.
void declareMathFunctions(llvm::Module &module);

/// Behind that: defines those that are called, and puts them where they are called unless that is
/// in very many places. Throws fairlead::Error (CompileFailed).
void defineMathFunctions(llvm::Module &module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_MATHFUNCTIONS_H_
