/// Decides whether code in a folder may be loaded, by who could have written it.
#pragma once

#include <string>
#include <string_view>

#include <sys/stat.h>

#include "base/Result.h"

namespace fairlead::trust {

/// True if `$FAIRLEAD_CACHE_TRUST`, a list of folders joined by colons, names the cache folder
/// `root`. Its entries are then loaded whoever wrote them.
bool isTrusted(std::string_view root);

/// Checks that files below `folder` may be loaded, or that nothing is there. Fails for a folder
/// from `root` down to `folder`, or a link to it, that belongs to a user other than this process's
/// and root, or that others may write.
Result<void> checkOwners(const std::string &root, const std::string &folder);

/// Checks one open file in the same way.
Result<void> checkOwners(const struct stat &status, const std::string &path);

/// Says on stderr, once for each folder, that nothing is loaded from it.
void warnOfDistrust(const std::string &root, const std::string &reason);

} // namespace fairlead::trust
