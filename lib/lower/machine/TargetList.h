/// LLVM's list of code generators.
#ifndef FAIRLEAD_LIB_LOWER_MACHINE_TARGETLIST_H_
#define FAIRLEAD_LIB_LOWER_MACHINE_TARGETLIST_H_

#include <mutex>

namespace fairlead::lower {

/// Held while targets are added to the list or looked up in it: LLVM does not lock it, and a
/// program's host code and its device code are compiled at the same time.
inline constinit std::mutex targetListMutex;

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_MACHINE_TARGETLIST_H_
