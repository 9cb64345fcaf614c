/// The log of requests to the cache and their results, for `fairlead cache stats`: a text file in
/// the cache folder.
#ifndef FAIRLEAD_LIB_CACHE_CACHEEVENTS_H_
#define FAIRLEAD_LIB_CACHE_CACHEEVENTS_H_

#include <string>
#include <string_view>

namespace fairlead::cache {

/// Appends "time kind microseconds what" to `.events` in the root; "what" is "get local: hit" or
/// the like. Any number of processes append. At 1 MB the file becomes `.events.1`, the one before
/// is gone. What cannot be written is forgotten.
void note(const std::string &root, std::string_view kind, std::string_view what, double seconds);

} // namespace fairlead::cache
#endif // FAIRLEAD_LIB_CACHE_CACHEEVENTS_H_
