/// Places in the user's source, for line tables and messages.
#pragma once

#include <string>

#include "fairlead/dsl/Scalar.h"

namespace fairlead::dsl {

class Program;

/// Says where in the user's source this thread is now; false when that is not known.
using SourceLocator = bool (*)(std::string &file, int &line);

/// From now on every operation of the program is noted with its place, which takes time.
FAIRLEAD_API void recordLocations(Program &program, SourceLocator locator);

/// From now on errors of a kernel as a whole name the places of its memory reads. The program
/// itself stores no places, so its compiled code does not depend on them.
FAIRLEAD_API void recordReads(Program &program, SourceLocator locator);

/// From now on every operation of the program that accesses memory or makes it is noted with its
/// place, for guards (Checks.h).
FAIRLEAD_API void recordAccesses(Program &program, SourceLocator locator);

/// Emits a report that a thread executes a line of the traced program, for coverage. `event` is a
/// FairleadCoverEvent (fairlead/Coverage.h), `frame` the number of the traced call of the function
/// that `line` of `file` belongs to. Code for GPUs reports nothing. Throws fairlead::Error outside
/// of tracing.
FAIRLEAD_API void cover(int event, const std::string &file, int frame, int line);

/// Emits a check of a Boolean when the program runs. In a kernel for CUDA a thread with a false
/// condition prints the message and ends the kernel with cudaErrorAssert; on the CPU, and in the
/// host function, the call raises AssertionError. Throws fairlead::Error outside of tracing.
FAIRLEAD_API void assertThat(const Scalar &condition, const std::string &message,
                             SourceLoc at = SourceLoc::here());

/// From now on asserts, when the program runs, the layout algebra's assumptions about the program's
/// numbers (that extents and strides divide, see composition in fairlead/layout/Layout.h).
FAIRLEAD_API void checkLayouts(Program &program, bool enable = true);

} // namespace fairlead::dsl
