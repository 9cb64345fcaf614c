/// The seal of an exported file: a checksum behind its last byte, where no linker or loader looks.
/// It tells files that were damaged. A tool that writes the file anew (strip, patchelf) leaves
/// none.
#ifndef FAIRLEAD_LIB_ELF_SEAL_H
#define FAIRLEAD_LIB_ELF_SEAL_H

#include <string>
#include <string_view>

#include "elf/Reader.h"

namespace fairlead::elf {

enum class Seal { None, Right, Wrong };

/// What stands behind the content: a mark, then SHA-256 of all before it.
std::string sealOf(std::string_view content);

/// Bytes without their seal.
std::string_view withoutSeal(std::string_view file);

/// Reads the whole of a sealed file.
Seal readSeal(const ByteSource &source);

/// A problem where the seal is wrong.
Problem checkSeal(const ByteSource &source);

} // namespace fairlead::elf
#endif // FAIRLEAD_LIB_ELF_SEAL_H
