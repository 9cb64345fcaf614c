/// The way of each thread through the branches and loops that contain meeting points of threads.
#ifndef FAIRLEAD_LIB_CHECK_COMPILE_BRANCHNOTES_H_
#define FAIRLEAD_LIB_CHECK_COMPILE_BRANCHNOTES_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/ArrayRef.h"

namespace fairlead::check {

class CheckBuilder;

/// Reports to the runtime the steps of each thread through the branches and loops around operations
/// that threads execute together (FairleadCheckBranch), and the threads that come to operations of
/// whole warps or warpgroups that nothing waits at (FairleadCheckReaches). `ops`: the operations of
/// the kernel, before others were added to it.
void noteBranches(CheckBuilder &checks, llvm::ArrayRef<mlir::Operation *> ops);

/// Removes the reports of branches and loops that nobody asks for if all threads provably come
/// together to the operations in them.
void dropBranchNotes(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_COMPILE_BRANCHNOTES_H_
