/// What a compile depends on.
#ifndef FAIRLEAD_LIB_ARTIFACT_COMPILEKEY_H_
#define FAIRLEAD_LIB_ARTIFACT_COMPILEKEY_H_

#include <string>
#include <vector>

#include "fairlead/Compile.h"

namespace fairlead {

/// The digest under which the cache keeps what compiling the traced program for these targets
/// makes: over its IR, its signature, the options, the targets, the machines that host code is for,
/// this build of the compiler, and the tools of others that take part (libdevice, the PTX
/// assembler). Empty where a part of that cannot be told.
std::string compileKey(const dsl::Program &program, const std::vector<Target> &targets,
                       const CompileOptions &options);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_COMPILEKEY_H_
