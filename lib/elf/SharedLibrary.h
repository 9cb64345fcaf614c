/// Checks that a file is a complete shared library of this machine, before the dynamic linker maps
/// it.
#pragma once

#include <string>

#include "elf/FileSource.h"
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

/// Checks the library in `file`, opened at `path`, and returns the name for dlopen. The name is
/// `path`, unless $FAIRLEAD_TRUSTED_KEYS names a list. With a list it is a copy in memory, which is
/// verified and which nobody can change any more: the file at `path` may be replaced or changed
/// after a check.
///
/// Copies stay for the life of the process, one for each content, so the dynamic linker recognises
/// a library that it has loaded already.
Result<std::string, LibraryError> checkToLoad(const FileSource &file, const std::string &path);
/// Checks the file at `path` in the same way.
Result<std::string, LibraryError> checkToLoad(const std::string &path);

/// " (...)" for a text that names a function of the runtime libraries which nothing defines: what
/// the file was exported for is newer than these libraries. "" for other texts.
std::string aboutRuntime(std::string_view reason);

/// Replaces the name `opened` by `path` in a message of dlerror.
std::string aboutPath(std::string reason, const std::string &opened, const std::string &path);

} // namespace fairlead::elf
