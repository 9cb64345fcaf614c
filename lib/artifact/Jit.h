/// Loads relocatable objects into this process.
#ifndef FAIRLEAD_LIB_ARTIFACT_JIT_H_
#define FAIRLEAD_LIB_ARTIFACT_JIT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include "base/CodeMemory.h"
#include "base/DebuggerObject.h"

namespace fairlead {

/// Code in this process. Destroying it gives its memory back: nothing may run in it then, and no
/// address in it be used any more.
struct LoadedCode {
  std::vector<void *> addresses; ///< of the symbols that were asked for; null: one that may lack
  CodeMemory memory;
  std::vector<DebuggerObject> shown; ///< what debuggers see of it; goes before the memory
};

/// Links the objects with one another, `definitions` (data of this process), the runtime and the
/// process, and finds `symbols`, in order, and then `optional`, which need not be there. Safe from
/// any thread.
llvm::Expected<std::unique_ptr<LoadedCode>>
loadObjects(llvm::ArrayRef<std::string> objects, const std::vector<std::string> &symbols,
            llvm::ArrayRef<std::pair<std::string, void *>> definitions = {},
            const std::vector<std::string> &optional = {});

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_JIT_H_
