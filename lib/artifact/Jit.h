/// Loads relocatable objects into this process.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "llvm/Support/Error.h"

#include "link/LoadedCode.h"

namespace fairlead {

class LaterKernels;

/// Links the objects with one another, with `definitions` (data of this process), `later`, the
/// runtime library and the process. Safe from any thread.
llvm::Expected<std::unique_ptr<link::LoadedCode>>
loadObjects(const std::vector<std::string> &objects,
            const std::vector<std::pair<std::string, void *>> &definitions = {},
            LaterKernels *later = nullptr);

} // namespace fairlead
