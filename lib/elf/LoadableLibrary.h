/// What dlopen is given for a library's file, so that it loads what was checked.
#ifndef FAIRLEAD_LIB_ELF_LOADABLELIBRARY_H
#define FAIRLEAD_LIB_ELF_LOADABLELIBRARY_H

#include <optional>
#include <string>

#include "elf/FileSource.h"
#include "elf/SharedLibrary.h"

namespace fairlead::elf {

/// Checks the library in `file`, opened at `path`, and says in `toOpen` what dlopen is to open:
/// `path`, unless $FAIRLEAD_TRUSTED_KEYS names a list. The file at a path may be another one, or
/// have another content, a moment after it was verified. So with a list, what is verified is a copy
/// in memory that nobody can change any more, and the copy is what dlopen opens.
///
/// Copies stay for the life of the process, one of each content: the dynamic linker knows it again.
std::optional<LibraryError> checkToLoad(const FileSource &file, const std::string &path,
                                        std::string &toOpen);
/// The same of the file at `path`.
std::optional<LibraryError> checkToLoad(const std::string &path, std::string &toOpen);

/// " (...)" for a text that names a function of the runtime libraries which nothing defines: what
/// the file was exported for is newer than these libraries. "" for other texts.
std::string aboutRuntime(std::string_view reason);

/// What dlerror says of `opened`, about `path`.
std::string aboutPath(std::string reason, const std::string &opened, const std::string &path);

} // namespace fairlead::elf
#endif // FAIRLEAD_LIB_ELF_LOADABLELIBRARY_H
