/// Loads relocatable objects into this process.
#ifndef FAIRLEAD_LIB_ARTIFACT_JIT_H_
#define FAIRLEAD_LIB_ARTIFACT_JIT_H_

#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace fairlead {

/// Links the objects with one another, `definitions` (data of this process), the runtime and the
/// process, and returns the addresses of `symbols`, in order. What is loaded is never unloaded:
/// callers may hold addresses in it for as long as the process lives. Safe from any thread.
llvm::Expected<std::vector<void *>>
loadObjects(llvm::ArrayRef<std::string> objects, const std::vector<std::string> &symbols,
            llvm::ArrayRef<std::pair<std::string, void *>> definitions = {});

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_JIT_H_
