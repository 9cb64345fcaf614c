/// The headers that a CUDA C++ text includes, for cache keys.
#ifndef FAIRLEAD_LIB_FOREIGN_INCLUDES_H_
#define FAIRLEAD_LIB_FOREIGN_INCLUDES_H_

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Cache.h"

namespace fairlead::kernels {

/// Adds to `key` the content of every header that the text includes, directly or not, from a folder
/// that `options` (`-I`) name. Conditional includes count too. Headers from elsewhere belong to the
/// compiler. False if the headers are unknown: an include names a macro, or an option names further
/// headers.
bool addIncludes(CacheKey &key, std::string_view source, const std::vector<std::string> &options);

} // namespace fairlead::kernels
#endif // FAIRLEAD_LIB_FOREIGN_INCLUDES_H_
