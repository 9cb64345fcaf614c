/// CUDA C++ text to PTX or CUBIN, through NVIDIA's run-time compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Export.h"

namespace fairlead::cuda {

struct NvrtcOptions {
  std::string name = "kernel.cu";             ///< what messages call the source
  std::string arch{};                         ///< "sm_90a" makes a CUBIN, "compute_90" PTX
  std::vector<std::string> extra{};           ///< further options, such as "-DN=4" or "-I/include"
  std::vector<std::string> nameExpressions{}; ///< such as "scale<float>": whose symbols are wanted
};

struct NvrtcResult {
  std::string image;                ///< CUBIN or PTX; empty when it could not be made
  std::string log;                  ///< what the compiler said, warnings included
  std::vector<std::string> symbols; ///< of `nameExpressions`, in their order
  std::string tool;                 ///< "NVRTC 13.0 (/path)"; empty when there is no such library
  std::string error;                ///< what failed, with the whole log; "" on success
};

/// Compiles without a GPU. Finds CUDA's headers (cuda_fp16.h, cuda/std) in a toolkit or in the
/// packages of NVRTC and of the CUDA runtime; options of `extra` come first. Looks for NVRTC at
/// `$FAIRLEAD_NVRTC`, then under the search path of Assembler.h, then in an installed package
/// nvidia-cuda-nvrtc next to this library, then with the dynamic linker. The first call looks for
/// it and caches it. Thread-safe; throws only std::bad_alloc.
FAIRLEAD_API NvrtcResult compileWithNvrtc(std::string_view source, const NvrtcOptions &options);

/// "13.0" of the NVRTC that compileWithNvrtc uses; "" when there is none.
FAIRLEAD_API std::string nvrtcVersion();

/// Tells the NVRTC that compileWithNvrtc uses, or will try first, from others, for cache keys: its
/// file's path, size and time. Opens the library only where the dynamic linker has to find it.
FAIRLEAD_API std::string nvrtcIdentity();

/// Looks for NVRTC and for CUDA headers among the packages of a Python site-packages folder too,
/// after all other places. Thread-safe.
FAIRLEAD_API void addPackageFolder(const std::string &folder);

} // namespace fairlead::cuda
