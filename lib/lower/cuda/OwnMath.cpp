/// The bitcode of math/Functions.c, carried along.
#include "lower/cuda/Ptx.h"

#ifdef FAIRLEAD_MATH_BITCODE
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "fairleadMathBegin:\n"
    ".incbin \"" FAIRLEAD_MATH_BITCODE "\"\n"
    "fairleadMathEnd:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char fairleadMathBegin[] __attribute__((visibility("hidden")));
extern "C" const char fairleadMathEnd[] __attribute__((visibility("hidden")));
#endif

namespace fairlead::lower {

llvm::StringRef ownMathFunctions() {
#ifdef FAIRLEAD_MATH_BITCODE
  return {fairleadMathBegin, static_cast<size_t>(fairleadMathEnd - fairleadMathBegin)};
#else
  return {};
#endif
}

} // namespace fairlead::lower
