/// Decides whether code in a folder may be loaded, by who could have written it.
#ifndef FAIRLEAD_LIB_TRUST_FOLDERTRUST_H_
#define FAIRLEAD_LIB_TRUST_FOLDERTRUST_H_

#include <string>
#include <string_view>

#include <sys/stat.h>

namespace fairlead::trust {

/// True if `$FAIRLEAD_CACHE_TRUST`, a list of folders joined by colons, names the cache folder
/// `root`. Its entries are then loaded whoever wrote them.
bool isTrusted(std::string_view root);

/// Returns why nothing below `folder` may be loaded; "" if it may, or if nothing is there. The
/// reason is a folder from `root` down to `folder`, or a link to it, that belongs to a user other
/// than this process's and root, or that others may write.
std::string distrust(const std::string &root, const std::string &folder);

/// Checks one open file in the same way.
std::string distrust(const struct stat &status, const std::string &path);

/// Says on stderr, once for each folder, that nothing is loaded from it.
void warnOfDistrust(const std::string &root, const std::string &reason);

} // namespace fairlead::trust
#endif // FAIRLEAD_LIB_TRUST_FOLDERTRUST_H_
