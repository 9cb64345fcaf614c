/// Loads relocatable objects into this process.
#ifndef FAIRLEAD_LIB_ARTIFACT_JIT_H_
#define FAIRLEAD_LIB_ARTIFACT_JIT_H_

#include <string>
#include <vector>

#include "llvm/Support/Error.h"

namespace fairlead {

/// Links the object against the runtime and the process, and returns the addresses of `symbols`, in
/// order. What is loaded is never unloaded: callers may hold addresses in it for as long as the
/// process lives. Safe from any thread.
llvm::Expected<std::vector<void *>> loadObject(const std::string &object,
                                               const std::vector<std::string> &symbols);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_JIT_H_
