/// The key of a compile in the cache.
#pragma once

#include <string>
#include <vector>

#include "fairlead/Compile.h"

namespace fairlead {

/// Digests under which the cache stores the result of a compile.
struct CompileKey {
  std::string digest; ///< empty where a part of what it covers cannot be told
  /// The digest without external tools (libdevice, the PTX assembler, the driver). A machine
  /// without them stores its entry under it.
  std::string withoutTools;
  /// Key under which the cache stores the digest of an entry made with such tools; empty for CPUs.
  std::string anyTools;
  bool lacksTools = false; ///< this machine has not all of them
  std::string program;     ///< its text, which a report of a crash has
};

/// Returns the key of compiling the traced programs of a function for these targets. It covers its
/// IR, its signature, the options, the targets, the machines that host code is for, this build of
/// the compiler, and the external tools.
CompileKey compileKey(const std::vector<dsl::Program> &programs, const std::vector<Target> &targets,
                      const CompileOptions &options);

/// Differs between any two builds whose code differs, LLVM included; the same wherever one build is
/// installed.
const std::string &buildIdentity();

} // namespace fairlead
