/// Where device code runs.
#ifndef FAIRLEAD_TARGET_H_
#define FAIRLEAD_TARGET_H_

#include <string>
#include <string_view>

#include "fairlead/Export.h"

namespace fairlead {

struct Target {
  enum class Kind { Cpu, Cuda };
  Kind kind = Kind::Cpu;
  std::string arch; ///< "sm_90a" for CUDA; for the CPU "" (this machine's)

  /// "cpu" or "cuda:sm_90a".
  FAIRLEAD_API std::string str() const;
  /// Parses `cpu`, `cuda` (the machine's GPU), `cuda:sm_90a`, `sm_90a`. Throws fairlead::Error
  /// (ValueError) naming `origin` (an option or environment variable) and the accepted forms.
  FAIRLEAD_API static Target parse(std::string_view text, std::string_view origin);
  /// FAIRLEAD_TARGET, else CUTE_DSL_ARCH, else the machine's first GPU, else the CPU.
  FAIRLEAD_API static Target detect();
};

} // namespace fairlead
#endif // FAIRLEAD_TARGET_H_
