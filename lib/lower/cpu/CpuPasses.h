/// Passes of kernels for the CPU, and the functions that kernels become.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace fairlead::lower {

/// Threads that execute inline PTX `exit` skip the rest of the kernel, if it is in the kernel's
/// body or in a branch there. In other regions it stays, as PTX without a form for the CPU.
void endThreads(mlir::gpu::GPUModuleOp kernels);

/// Throws NoCpuForm for the first operation of a kernel that a CPU cannot execute: a GPU operation
/// without a model (collective/), one whose model has no CPU form, or a user's own PTX.
void checkCpuForms(mlir::gpu::GPUModuleOp kernels);

/// Suspends the thread in each iteration of loops in which it waits until another one has written
/// to memory, as a test of an mbarrier does whose address is null: the CPU runs the threads of a
/// block one at a time.
void suspendSpinLoops(mlir::gpu::GPUModuleOp kernels);

/// Makes the control flow around aligned operations uniform in each warp, as PTX requires. If the
/// compiler cannot prove a condition uniform (for example a loaded one), the warp votes on it, and
/// loops use the first lane's bounds. Only for blocks whose number of threads is a multiple of the
/// warp size.
void alignBranches(mlir::gpu::GPUFuncOp kernel);

/// Rewrites loops with one barrier in the middle, { before(i); barrier; after(i) }, as before(0); {
/// barrier; after(i); before(i + 1) }; barrier; after(n - 1). Each iteration then has one loop over
/// threads instead of two, and a thread reuses its cached data.
void rotateBarrierLoops(mlir::gpu::GPUFuncOp kernel);

/// For kernels whose threads wait for each other, in loops: the work between two barriers is a loop
/// over the block's threads, and between two warp collectives a loop over a warp's lanes. Adds a
/// FairleadCpuKernel under the kernel's name to the module. Requires that a block's threads
/// provably take the control flow around barriers together, that warps do so around their warp
/// collectives, and that threads do not keep too much data between loops. Otherwise returns false;
/// the kernel is then unchanged except for the address space of its shared memory.
bool buildFissionedFunction(mlir::gpu::GPUFuncOp kernel, mlir::ModuleOp module);

/// Vectorizes multiply-adds of a thread, as products of fragments are traced, one for each element:
/// sums[i + 0] += x[0] * y, sums[i + 1] += x[1] * y, ... in neighbouring elements
/// of a thread's private memory become one multiply-add of vectors. Each element's result stays the
/// same.
void packSums(mlir::gpu::GPUFuncOp kernel);

/// For kernels whose threads wait for each other. Adds the kernel's thread function, which runs one
/// thread and can be suspended (FairleadCpuThreadKernel, marked for Coroutines.h) to the
/// module, and a FairleadCpuKernel with the kernel's name, which calls the runtime to run a block
/// of such threads.
void buildThreadFunction(mlir::gpu::GPUFuncOp kernel, mlir::ModuleOp module);

/// Loops of a thread that should be interchanged with the loop over threads. Neighbouring threads
/// read neighbouring elements, so an inner loop over threads vectorizes, while the iterations of
/// one thread would stride through memory. The attribute marks loops that all threads of the block
/// execute together, iteration by iteration, as if they contained a barrier.
inline constexpr char kSplitAttribute[] = "fairlead.split";

/// Marks the loops of a kernel that benefit: all threads have the same iterations, nothing in them
/// waits or prints, and neighbouring threads access neighbouring addresses. Rewrites
/// `for j in range(threadIdx.x + first, end, step)` to a loop over `first` with
/// `if (threadIdx.x < end - first)` in it. Returns true if it marked any.
bool markSplitLoops(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::lower
