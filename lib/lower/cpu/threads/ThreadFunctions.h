/// Kernels whose threads wait for each other: a function that runs one thread and can be suspended.
#ifndef FAIRLEAD_LIB_LOWER_CPU_THREADS_THREADFUNCTIONS_H_
#define FAIRLEAD_LIB_LOWER_CPU_THREADS_THREADFUNCTIONS_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace fairlead::lower {

/// Adds the kernel's thread function (FairleadCpuThreadKernel, marked for Coroutines.h) to the
/// module, and a FairleadCpuKernel with the kernel's name, which calls the runtime to run a block
/// of such threads.
void buildThreadFunction(mlir::gpu::GPUFuncOp kernel, mlir::ModuleOp module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_THREADS_THREADFUNCTIONS_H_
