/// A folder that machines share, as the store of a remote cache.
#ifndef FAIRLEAD_LIB_CACHE_FOLDERSTORE_H_
#define FAIRLEAD_LIB_CACHE_FOLDERSTORE_H_

#include <memory>
#include <string>

#include "fairlead/RemoteCache.h"

namespace fairlead::cache {

/// Each call runs on a thread of its own, which is left alone where it does not end in time: a file
/// system of another machine may hang.
std::unique_ptr<RemoteStore> openFolder(const std::string &folder);

} // namespace fairlead::cache
#endif // FAIRLEAD_LIB_CACHE_FOLDERSTORE_H_
