/// The bitcode of math/Functions.c, carried along.
#include "lower/cuda/Ptx.h"

asm(".pushsection .rodata\n"
    ".balign 16\n"
    "fairleadMathBegin:\n"
    ".incbin \"" FAIRLEAD_MATH_BITCODE "\"\n"
    "fairleadMathEnd:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char fairleadMathBegin[] __attribute__((visibility("hidden")));
extern "C" const char fairleadMathEnd[] __attribute__((visibility("hidden")));

namespace fairlead::lower {

llvm::StringRef ownMathFunctions() {
  return {fairleadMathBegin, static_cast<size_t>(fairleadMathEnd - fairleadMathBegin)};
}

} // namespace fairlead::lower
