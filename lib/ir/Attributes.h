/// Names of discardable attributes: of operations of other dialects, and of passes.
#pragma once

namespace fairlead::ir {

/// On nvvm.cp.async: number of bytes around its source that go to the L2 cache, as a hint.
inline constexpr char kPrefetchedAttribute[] = "fairlead.prefetched";
/// On llvm.inttoptr (unit): the address is one of global memory.
inline constexpr char kGlobalAttribute[] = "fairlead.global";
/// On an operation that one lane of the warp executes (unit): all threads that reach it execute it,
/// and none is elected.
inline constexpr char kChosenThreadAttribute[] = "fairlead.chosen_thread";
/// On a parameter of a kernel that is a tensor map: a pointer to 128 bytes that launches pass by
/// value.
inline constexpr char kTensorMapParameter[] = "fairlead.tensor_map_parameter";
/// On a launch: FairleadLaunch::flags.
inline constexpr char kLaunchFlags[] = "launch_flags";
/// On the module: the names of the program's checks, such as "bounds,race".
inline constexpr char kChecksAttribute[] = "fairlead.checks";
/// The name there of the guards of code for the CPU, which are the default.
inline constexpr char kGuards[] = "guards";
/// On a module with guards (unit): a load from a tensor that it reads beyond is warned of, and
/// gives zeros.
inline constexpr char kWarnsOfReadsAttribute[] = "fairlead.warns_of_reads";
/// On the module: a FairleadSchedule.
inline constexpr char kScheduleAttribute[] = "fairlead.schedule";
/// On a print: its text is that of a breakpoint.
inline constexpr char kStopAttribute[] = "fairlead.stop";
/// On a print: it is no print but an event of a timeline; its text is the event's name, the
/// attribute the kind (FairleadTimelineKind).
inline constexpr char kTimelineAttribute[] = "fairlead.timeline";
/// On an address of shared memory at which an allocation begins: offset and bytes.
inline constexpr char kAllocationAttribute[] = "fairlead.allocation";

} // namespace fairlead::ir
