/// Whether code that lies in a folder may be loaded: who could have put it there.
#ifndef FAIRLEAD_LIB_CACHE_FOLDERTRUST_H_
#define FAIRLEAD_LIB_CACHE_FOLDERTRUST_H_

#include <string>
#include <string_view>

#include <sys/stat.h>

namespace fairlead::cache {

/// Whether `$FAIRLEAD_CACHE_TRUST`, folders joined by colons, names the cache folder `root`: what
/// lies in it is then loaded whoever wrote it.
bool isTrusted(std::string_view root);

/// Why nothing below `folder`, which is `root` or below it, is to be loaded: one of the folders
/// from `root` on, or a link to it, belongs to another user than this process's and root, or may be
/// written by others. "" where it may, and where nothing is there.
std::string distrust(const std::string &root, const std::string &folder);

/// The same of one open file.
std::string distrust(const struct stat &status, const std::string &path);

/// Says on stderr, once for each folder, that nothing is loaded from it.
void warnOfDistrust(const std::string &root, const std::string &reason);

} // namespace fairlead::cache
#endif // FAIRLEAD_LIB_CACHE_FOLDERTRUST_H_
