/// The attribute of launches in a traced module that holds FairleadLaunch::flags.
#ifndef FAIRLEAD_LIB_DSL_LAUNCHFLAGS_H_
#define FAIRLEAD_LIB_DSL_LAUNCHFLAGS_H_

namespace fairlead::dsl {
inline constexpr char kLaunchFlags[] = "launch_flags";
/// A call before a launch, whose operands are the last eight members of its FairleadLaunchExtras.
inline constexpr char kLaunchExtras[] = "fairlead_launch_extras";
} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_LAUNCHFLAGS_H_
