/// What a program is compiled to watch while it runs (`--check`).
#ifndef FAIRLEAD_DSL_CHECKS_H_
#define FAIRLEAD_DSL_CHECKS_H_

#include <string_view>

#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// Has what is traced from now on checked while it runs on the CPU. `checks` is a list, separated
/// by commas, of "bounds" (indices and addresses outside of their tensor), "memory" (addresses
/// outside of their tensor's memory; indices outside of their mode are notes), "init" (values that
/// come of memory of a block or a thread that nothing wrote to), "race" (accesses that nothing
/// orders), "sync" (barriers and waits that threads use wrongly) and "float" (the first results
/// that are not finite); "all" means the first four; "" none. Kernels for CUDA can have "bounds"
/// alone: they stop where something is out of bounds. Call it before anything is traced, after
/// recordLocations (Location.h). A call that finds something raises CheckError. Throws
/// fairlead::Error (ValueError): CheckName for another name, CheckTarget for a check other than
/// "bounds" of a program that is not for the CPU alone.
FAIRLEAD_API void setChecks(Program &program, std::string_view checks);

/// Has the kernels of what is traced from now on run their blocks, and a block's threads between
/// the points where they wait for each other, in an order: "forward", "backward" or "random:SEED"
/// (a number below 1000000); "" is what is quickest. A program whose results depend on it has
/// counted on an order that no GPU promises. Throws fairlead::Error (OptionValue) for
/// another text, and for a program that is not for the CPU alone.
FAIRLEAD_API void setSchedule(Program &program, std::string_view schedule);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_CHECKS_H_
