/// The ways from PTX to SASS, one each.
#ifndef FAIRLEAD_LIB_CUDA_TOOLS_TOOLS_H
#define FAIRLEAD_LIB_CUDA_TOOLS_TOOLS_H

#include "fairlead/cuda/Assembler.h"

namespace fairlead::cuda {

/// Through libnvJitLink, in process. `tool` is empty when there is no such library; the library is
/// looked for at the first call and kept.
Assembled assembleWithNvJitLink(std::string_view ptx, std::string_view arch,
                                const std::vector<std::string> &options = {});

/// Through a ptxas process with temporary files, removed again. `tool` is empty when there is no
/// ptxas.
Assembled assembleWithPtxas(std::string_view ptx, std::string_view arch,
                            const std::vector<std::string> &options = {});

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_CUDA_TOOLS_TOOLS_H
