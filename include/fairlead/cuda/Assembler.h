/// PTX to SASS.
#ifndef FAIRLEAD_CUDA_ASSEMBLER_H_
#define FAIRLEAD_CUDA_ASSEMBLER_H_

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::cuda {

struct Assembled {
  std::string cubin; ///< the CUBIN (ELF bytes); empty when it could not be made
  std::string tool;  ///< what made it: "nvJitLink 13 (/path)" or "ptxas (/path)"
  std::string error; ///< what each tool said, or where tools were looked for; empty on success
};

/// Assembles PTX text for `arch` ("sm_90a") with the first of these that is found and takes it:
/// nvJitLink
/// (`$FAIRLEAD_NVJITLINK`, else under the search path, else as the dynamic linker finds it), ptxas
/// (under the search path, else on PATH). The search path is `$FAIRLEAD_CUDA_PATH` (toolkits or
/// site-packages folders, joined by colons), `$CUDA_HOME`, `$CUDA_PATH`, /usr/local/cuda.
/// `options` are those of ptxas. Thread-safe; throws nothing but std::bad_alloc.
Assembled assemblePtx(std::string_view ptx, std::string_view arch,
                      const std::vector<std::string> &options = {});

/// Assembles PTX with the driver, for its device `device`, as loading the PTX there would; no
/// toolkit is needed. `tool` is empty where there is no such device, or an old driver. Creates the
/// device's primary context. Thread-safe.
Assembled assembleWithDriver(int device, const std::string &ptx);

/// Tells the driver from others, for cache keys; "" without a usable one.
std::string driverIdentity();

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
#endif // FAIRLEAD_CUDA_ASSEMBLER_H_
