/// Files of the build that are embedded in the compiler.
#pragma once

#include "llvm/ADT/StringRef.h"

/// Defines `name##Begin` and `name##End` around the bytes of `path`, followed by a NUL.
#define FAIRLEAD_EMBED(name, path)                                                                 \
  asm(".pushsection .rodata\n"                                                                     \
      ".balign 16\n" #name "Begin:\n"                                                              \
      ".incbin \"" path "\"\n" #name "End:\n"                                                      \
      ".byte 0\n"                                                                                  \
      ".popsection\n");                                                                            \
  extern "C" const char name##Begin[] __attribute__((visibility("hidden")));                       \
  extern "C" const char name##End[] __attribute__((visibility("hidden")));                         \
  static llvm::StringRef name() {                                                                  \
    return {name##Begin, static_cast<size_t>(name##End - name##Begin)};                            \
  }
