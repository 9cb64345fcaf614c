/// The embedded bitcode of math/Functions.c.
#include "lower/common/EmbeddedFile.h"
#include "lower/nvidia/ptx/Ptx.h"

FAIRLEAD_EMBED(fairleadMath, FAIRLEAD_MATH_BITCODE)

namespace fairlead::lower {

llvm::StringRef ownMathFunctions() { return fairleadMath(); }

} // namespace fairlead::lower
