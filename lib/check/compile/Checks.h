/// Kernels that watch themselves while they run on the CPU (`--check`).
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fairlead::check {

class CheckBuilder;

/// Adds the checks of an operation that only a GPU has; does nothing for others. The builder's
/// insertion point is before the operation.
using AddOpChecks = llvm::function_ref<void(mlir::Operation *, CheckBuilder &)>;

/// Adds calls of the runtime (fairlead/CheckCpu.h) to the kernels of a program that was traced with
/// checks (ir::kChecksAttribute), before all that rewrites kernels; does nothing to others.
void addChecks(mlir::ModuleOp module, AddOpChecks addOpChecks);

/// Attribute of kernels: the runtime keeps shadow memory of their accesses, and they report every
/// operation that orders threads.
inline constexpr char kShadowedAttribute[] = "fairlead.shadowed";
/// Attribute of operations that wait, and of products of warpgroups: their site, a symbol.
inline constexpr char kSiteAttribute[] = "fairlead.site";
/// Attribute of products of warpgroups, a bool: true if the values that they read are followed.
inline constexpr char kFollowsAttribute[] = "fairlead.follows";
/// FairleadLaunch::flags of launches of a kernel; 0 without checks.
int64_t checkFlags(mlir::Operation *kernel);
/// The flags for the order of blocks and threads (`--schedule`); 0 without one.
int64_t scheduleFlags(mlir::Operation *kernel);

/// Makes kernels of a program traced with checks (ir::kChecksAttribute) stop with a message
/// (fairlead/CheckCuda.h) if an index or an address is out of bounds, or an assertion fails.
/// Does nothing to other programs. Call it before launches are lowered.
void addCudaChecks(mlir::ModuleOp module);

} // namespace fairlead::check
