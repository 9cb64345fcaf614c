/// Instructions of one's own in a kernel, as PTX.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/SourceLoc.h"

namespace fairlead::dsl {

/// PTX in the kernel being traced, with `$0`, `$1` and so on for its results and then its operands,
/// which `constraints` names as LLVM does: `=r` and `r` are 32 bits (Boolean too, as 0 or 1), `l`
/// 64 bits, `h` 16 bits, `f` and `d` floats, `i` a number that is known while tracing. One value
/// for each of `results`. Assembly without effects may be moved, merged and dropped. For the CPU,
/// common instructions become operations that compute the same; a program with others does not
/// compile for it (RuntimeError, NoCpuForm). Throws fairlead::Error (RuntimeError, OutsideKernel).
FAIRLEAD_API Scalars inlineAssembly(const std::vector<DType> &results, const Scalars &operands,
                                    const std::string &assembly, const std::string &constraints,
                                    bool hasEffects = true, SourceLoc at = SourceLoc::here());

/// Returns the pointer to shared memory at `address` or, if that is a word, at the address with
/// this low word, and its block of the cluster if it was mapped (mapToBlock). Returns nothing
/// unless the program computed `address` by integer arithmetic from a pointer to shared memory.
FAIRLEAD_API std::optional<std::pair<Pointer, std::optional<Scalar>>>
sharedOffset(DType dtype, const Scalar &address);

} // namespace fairlead::dsl
