/// Checks that a file is a complete shared library of this machine, before the dynamic linker maps
/// it.
#ifndef FAIRLEAD_LIB_ELF_SHAREDLIBRARY_H_
#define FAIRLEAD_LIB_ELF_SHAREDLIBRARY_H_

#include <string>

#include "elf/Reader.h"

namespace fairlead::elf {

/// Checks machine and type, that every header and segment ends inside the source, and that data
/// which the dynamic linker finds by address is loaded there. Verifies the seal, if any.
Checked checkSharedLibrary(const ByteSource &source);

/// A diagnostic of Diagnostics.def about a file, with its places filled in.
struct LibraryError {
  const char *kind; ///< of the error
  std::string text;
};
LibraryError describe(const Problem &problem, const char *path);
LibraryError unreadable(const char *path, const std::string &reason);

/// Checks the file at `path`.
Result<void, LibraryError> checkSharedLibrary(const char *path);

} // namespace fairlead::elf
#endif // FAIRLEAD_LIB_ELF_SHAREDLIBRARY_H_
