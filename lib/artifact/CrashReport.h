/// The report of a compile that ended in a fatal error of the compiler.
#pragma once

#include <string>
#include <vector>

#include "fairlead/Compile.h"
#include "lower/machine/CrashGuard.h"

namespace fairlead {

/// Writes a report with the program, the options and the versions to a file that only this user can
/// read, in $FAIRLEAD_REPORT_DIR, else the folder for temporary files. Throws fairlead::Error
/// (CompilerCrash) that names it. `traced` is the program as it was traced, or "".
[[noreturn]] void reportCrash(const lower::Crash &crash, const std::string &function,
                              const std::vector<Target> &targets, const std::string &options,
                              const std::string &traced);

/// Runs `work`, and reports the Crash that it may end with.
template <typename Work>
auto reported(const std::string &function, const std::vector<Target> &targets, Work work)
    -> decltype(work()) {
  try {
    return work();
  } catch (const lower::Crash &crash) {
    reportCrash(crash, function, targets, "", "");
  }
}

} // namespace fairlead
