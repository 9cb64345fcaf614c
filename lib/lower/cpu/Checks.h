/// Kernels that watch themselves while they run on the CPU (`--check`).
#ifndef FAIRLEAD_LIB_LOWER_CPU_CHECKS_H
#define FAIRLEAD_LIB_LOWER_CPU_CHECKS_H

#include "mlir/IR/BuiltinOps.h"

namespace fairlead::lower {

/// Adds calls of the runtime (fairlead/CheckCpu.h) to the kernels of a program that was traced with
/// checks (ir::kChecksAttribute), before all that rewrites kernels; does nothing to others.
void addChecks(mlir::ModuleOp module);

/// Of kernels: the runtime keeps shadow memory of what they touch, and has to be told of everything
/// that orders their threads.
inline constexpr char kShadowedAttribute[] = "fairlead.shadowed";
/// Of operations that threads wait in, and of products of warpgroups: their site, a symbol.
inline constexpr char kSiteAttribute[] = "fairlead.site";
/// Of products of warpgroups: whether the values that they read are followed, as a bool.
inline constexpr char kFollowsAttribute[] = "fairlead.follows";
/// FairleadLaunch::flags of launches of a kernel; 0 without checks.
int64_t checkFlags(mlir::Operation *kernel);
/// Those that give a launch an order of blocks and threads (`--schedule`); 0 without.
int64_t scheduleFlags(mlir::Operation *kernel);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_CHECKS_H
