/// What a kernel's body asks of the machine it runs on, answered for the CPU.
#ifndef FAIRLEAD_LIB_LOWER_CPU_DEVICEOPS_H
#define FAIRLEAD_LIB_LOWER_CPU_DEVICEOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// FairleadLaunch as an array of i32: where grid[3], block[3], cluster[3] and shared_bytes begin.
inline constexpr int kGridField = 0, kBlockField = 3, kClusterField = 6, kSharedField = 9;

/// The CPU has one address space: pointers that an operation makes, and those that its regions are
/// given, are in it.
void dropAddressSpace(mlir::Operation *op);

/// What a running thread knows, as values of the function that holds the body (i32, pointers).
struct ThreadValues {
  mlir::ArrayRef<mlir::Value> threadId, blockId, blockDim, gridDim;
  mlir::Value launch; ///< FairleadLaunch
  mlir::Value shared; ///< the block's shared memory
  mlir::Value thread; ///< FairleadCpuThread; null in a body that never waits
};

/// What collective operations (collective/) are written with, where each thread runs for itself and
/// is suspended while it waits.
class ThreadBuilder {
public:
  ThreadBuilder(mlir::ImplicitLocOpBuilder &b, mlir::LLVM::LLVMFuncOp function,
                const ThreadValues &values)
      : b(b), function(function), values(values) {}

  mlir::ImplicitLocOpBuilder &b;
  mlir::Operation *op = nullptr; ///< that is being written

  mlir::Value zero();
  /// The thread's place in its warp.
  mlir::Value lane();
  /// Suspends the thread until what it waits for (FairleadWait of Runtime.h, which says what the
  /// four i32 are) is there: what the runtime hands to it. It leaves a call, of which
  /// Coroutines.cpp makes the suspension.
  mlir::Value wait(int kind, mlir::Value mask, mlir::Value value, mlir::Value first,
                   mlir::Value second);

private:
  void declareWait();
  mlir::Value placeOfOp();

  mlir::LLVM::LLVMFuncOp function;
  const ThreadValues &values;
};

/// One i32 of an array in memory.
mlir::Value loadInt(mlir::ImplicitLocOpBuilder &b, mlir::Value base, int index);

/// The values of the kernel's parameters, which `array` points at one by one.
mlir::SmallVector<mlir::Value> loadParams(mlir::ImplicitLocOpBuilder &b,
                                          mlir::gpu::GPUFuncOp kernel, mlir::Value array);

/// Rewrites the operations of a body that was cloned into `function`: indices, shared memory
/// (whose addresses lose their address space), scopes of atomics (which a CPU has not),
/// collectives.
void lowerDeviceOps(mlir::LLVM::LLVMFuncOp function, const ThreadValues &values);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_DEVICEOPS_H
