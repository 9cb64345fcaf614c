/// NVIDIA's assembler as a program.
#pragma once

#include "fairlead/cuda/Assembler.h"

namespace fairlead::cuda {

/// Returns all copies of ptxas, best first: only $FAIRLEAD_PTXAS if set, else those under
/// toolkitRoots(), on PATH and in Python packages.
std::vector<std::string> findPtxas();

/// Runs one.
Assembled runPtxas(const std::string &program, std::string_view ptx, std::string_view arch,
                   const std::vector<std::string> &options = {});

} // namespace fairlead::cuda
