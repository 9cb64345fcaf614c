/// PTX to SASS.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Export.h"

namespace fairlead::cuda {

struct Assembled {
  std::string cubin;    ///< the CUBIN (ELF bytes); empty when it could not be made
  std::string tool;     ///< what made it: "ptxas (/path)"
  std::string error;    ///< what each tool said, or where tools were looked for; empty on success
  std::string log = {}; ///< what the tool printed when it made the CUBIN: warnings, or for "-v"
};

/// Assembles PTX text for `arch` ("sm_90a") with the first ptxas that takes it: `$FAIRLEAD_PTXAS`
/// alone where that is set, else under the search path, on PATH, in Python packages
/// (nvidia-cuda-nvcc, triton). The search path is
/// `$FAIRLEAD_CUDA_PATH` (toolkits or site-packages folders, joined by colons), `$CUDA_HOME`,
/// `$CUDA_PATH`, /usr/local/cuda. `options` are those of ptxas. A process of its own: linkers that
/// work in process (nvJitLink, cuLink) compile PTX as relocatable code, which takes more registers.
/// Thread-safe; throws nothing but std::bad_alloc.
Assembled assemblePtx(std::string_view ptx, std::string_view arch,
                      const std::vector<std::string> &options = {});

/// The ptxas that assemblePtx tries first; "" without one.
FAIRLEAD_API std::string ptxAssembler();

struct Disassembled {
  std::string text;  ///< what nvdisasm printed; empty when it could not
  std::string error; ///< why
};

/// Disassembles a CUBIN with nvdisasm, found under the same search path, else on PATH, else in
/// Python packages; with its options, such as "-g". Thread-safe; throws nothing but std::bad_alloc.
Disassembled disassembleCubin(std::string_view cubin, const std::vector<std::string> &options);

/// Tells the tool that assemblePtx tries first from others, for cache keys: its file's path, size
/// and time; "" without one.
std::string assemblerIdentity();

} // namespace fairlead::cuda
