/// NVIDIA's assembler as a program.
#ifndef FAIRLEAD_LIB_CUDA_TOOLS_PTXAS_H
#define FAIRLEAD_LIB_CUDA_TOOLS_PTXAS_H

#include "fairlead/cuda/Assembler.h"

namespace fairlead::cuda {

/// Every ptxas that there is, best first: $FAIRLEAD_PTXAS alone, else under toolkitRoots(), on
/// PATH, in Python packages.
std::vector<std::string> findPtxas();

/// Runs one.
Assembled runPtxas(const std::string &program, std::string_view ptx, std::string_view arch,
                   const std::vector<std::string> &options = {});

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_CUDA_TOOLS_PTXAS_H
