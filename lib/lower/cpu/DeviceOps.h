/// Device operations of a kernel's body (indices, shared memory, waiting), lowered for the CPU.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

/// Indices of grid[3], block[3], cluster[3] and shared_bytes in FairleadLaunch as an array of i32.
inline constexpr int kGridField = 0, kBlockField = 3, kClusterField = 6, kSharedField = 9;

/// Moves the operation's result pointers and its regions' pointer arguments to the CPU's only
/// address space.
void dropAddressSpace(mlir::Operation *op);

/// The indices and pointers of a running thread, as values of the function that holds the body.
struct ThreadValues {
  mlir::ArrayRef<mlir::Value> threadId, blockId, blockDim, gridDim;
  mlir::Value launch; ///< FairleadLaunch
  mlir::Value shared; ///< the block's shared memory
  mlir::Value thread; ///< FairleadCpuThread; null in a body that never waits
};

/// Builds collective operations (collective/) in functions of single threads, which are suspended
/// while they wait.
class ThreadBuilder {
public:
  ThreadBuilder(mlir::ImplicitLocOpBuilder &b, mlir::LLVM::LLVMFuncOp function,
                const ThreadValues &values)
      : b(b), function(function), values(values) {}

  mlir::ImplicitLocOpBuilder &b;
  mlir::Operation *op = nullptr; ///< that is being written

  mlir::Value zero();
  /// The thread's index in its warp.
  mlir::Value lane();
  /// The address of the block's shared memory.
  mlir::Value shared() const { return values.shared; }
  /// Suspends the thread until the condition holds that it waits for, and returns the runtime's
  /// result. FairleadWait of Runtime.h defines the four i32. Emits a call, which Coroutines.cpp
  /// turns into the suspension.
  mlir::Value wait(int kind, mlir::Value mask, mlir::Value value, mlir::Value first,
                   mlir::Value second);

private:
  void declareWait();
  mlir::Value placeOfOp();

  mlir::LLVM::LLVMFuncOp function;
  const ThreadValues &values;
};

/// Loads one i32 of an array in memory.
mlir::Value loadInt(mlir::ImplicitLocOpBuilder &b, mlir::Value base, int index);

/// Loads the kernel's parameters; `array` holds a pointer to each of them.
mlir::SmallVector<mlir::Value> loadParams(mlir::ImplicitLocOpBuilder &b,
                                          mlir::gpu::GPUFuncOp kernel, mlir::Value array);

/// Rewrites the operations of a body that was cloned into `function`: indices, shared memory
/// (whose addresses lose their address space), scopes of atomics (which a CPU does not have),
/// collectives.
void lowerDeviceOps(mlir::LLVM::LLVMFuncOp function, const ThreadValues &values);

} // namespace fairlead::lower
