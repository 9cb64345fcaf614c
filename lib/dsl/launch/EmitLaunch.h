/// The launch of a kernel in the IR. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_LAUNCH_EMITLAUNCH_H_
#define FAIRLEAD_LIB_DSL_LAUNCH_EMITLAUNCH_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// Launches a kernel; `stream` is a stream or an ir::LaunchExtrasOp, or null.
mlir::gpu::LaunchFuncOp emitLaunch(Program::Impl &impl, const Kernel &kernel,
                                   const LaunchConfig &config, mlir::Value stream);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_LAUNCH_EMITLAUNCH_H_
