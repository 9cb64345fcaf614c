/// Identifies the build of this library, for keys of the cache.
#ifndef FAIRLEAD_LIB_ARTIFACT_BUILDIDENTITY_H_
#define FAIRLEAD_LIB_ARTIFACT_BUILDIDENTITY_H_

#include <string>

namespace fairlead {

/// Differs between any two builds whose code differs, LLVM included; the same wherever one build is
/// installed.
const std::string &buildIdentity();

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_BUILDIDENTITY_H_
