/// What a compile depends on.
#ifndef FAIRLEAD_LIB_ARTIFACT_COMPILEKEY_H_
#define FAIRLEAD_LIB_ARTIFACT_COMPILEKEY_H_

#include <string>
#include <vector>

#include "fairlead/Compile.h"

namespace fairlead {

/// Under which digests the cache keeps what a compile makes.
struct CompileKey {
  std::string digest; ///< empty where a part of what it covers cannot be told
  /// The same without the tools of others that take part (libdevice, the PTX assembler, the
  /// driver): what a machine that has none of them keeps its entry under.
  std::string withoutTools;
  /// Where the cache holds the digest of an entry that was made with such; empty for the CPU.
  std::string anyTools;
  bool lacksTools = false; ///< this machine has not all of them
  std::string program;     ///< its text, which a report of a crash has
};

/// Of compiling the traced programs of a function for these targets: over its IR, its signature,
/// the options, the targets, the machines that host code is for, this build of the compiler, and
/// the tools of others.
CompileKey compileKey(const std::vector<dsl::Program> &programs, const std::vector<Target> &targets,
                      const CompileOptions &options);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_COMPILEKEY_H_
