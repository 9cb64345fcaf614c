/// Checks that a compiled program runs (`--check`).
#pragma once

#include <string_view>

#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// Adds checks on the CPU to all code that is traced from now on. `checks` is a comma-separated
/// list of "bounds" (indices and addresses outside of their tensor), "memory" (addresses outside of
/// their tensor's memory; indices outside of their mode are notes), "init" (values from memory of a
/// block or a thread that nothing wrote to), "race" (accesses that nothing orders), "sync"
/// (barriers and waits that threads use wrongly) and "float" (the first results that are not
/// finite); "all" means "bounds,init,race,sync"; "" or "none" alone none. "guards" alone ends the
/// launch before an access outside of a tensor parameter, an allocation in shared memory or a
/// register tensor. It costs little: the host proves most accesses before the launch. With
/// `warnsOfReads`, a load from a tensor parameter beyond it gives 0 with a warning instead.
/// "schedule" makes compile() call raisePipelineMistakes (PipelineCheck.h), for all targets.
/// Kernels for CUDA support "bounds" besides: they stop at an access that is out of bounds. Call it
/// before anything is traced, and recordLocations or recordAccesses (Location.h) first. A call that
/// finds something raises CheckError. Throws fairlead::Error (ValueError): CheckName for another
/// name, CheckTarget for another check if the program has targets other than the CPU; "guards"
/// needs one of the CPU.
FAIRLEAD_API void setChecks(Program &program, std::string_view checks, bool warnsOfReads = false);

/// Under "bounds" and "memory", asserts in kernels that an address of global memory is a multiple
/// of `bytes`.
FAIRLEAD_API void checkAlignment(const Pointer &pointer, int64_t bytes);

/// Sets the execution order for kernels traced from now on: the order of their blocks, and of a
/// block's threads between synchronization points. "forward", "backward" or "random:SEED" (a
/// number below 1000000); "" is the fastest order. A program whose results depend on it relies on
/// an order that no GPU guarantees. Throws fairlead::Error (OptionValue) for another text, and if
/// the program has targets other than the CPU.
FAIRLEAD_API void setSchedule(Program &program, std::string_view schedule);

} // namespace fairlead::dsl
