/// Mistakes that are found when a kernel is finished, and notes for checks that find others when it
/// runs. Internal to lib/dsl.
#pragma once

#include <array>
#include <optional>

#include "dsl/trace/Builder.h"
#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// Throws DivergentBarrier if a branch on a thread index splits a block of these extents, one side
/// has a barrier of the whole block, and the threads of the other side continue without one.
/// Throws DivergentWarp if such a branch splits a warp that has to execute an operation together.
/// Uncertain cases are left to the run: computed conditions, barriers with a number of threads,
/// masks that are not constant, branches in loops.
void checkBarriers(mlir::gpu::GPUFuncOp kernel, const std::array<int64_t, 3> &block);

/// Throws ArgumentValue for a constant that is not the number of a barrier: a block has 16.
void requireBarrierNumber(mlir::Value number);

/// Throws PairsMixed if instructions on tensor memory of the kernel are of pairs and others of one
/// block. Throws PairsInCluster if some are of pairs, and the launch's cluster is known to have an
/// odd number of blocks. `cluster`: its extents as far as they are constants.
void checkPairs(mlir::gpu::GPUFuncOp kernel, const std::array<std::optional<int64_t>, 3> &cluster);

/// Records memory at `base` that the kernel being traced has allocated. Shared memory of 0 bytes is
/// the part that the launch adds to the reserved one: everything after `base` may belong to it.
void noteMemory(Program::Impl &impl, mlir::Value base, DType dtype, AddressSpace space,
                int64_t bytes);

/// Throws UnwrittenMemory if the kernel being traced reads shared memory or registers that nothing
/// in it writes on any path. An address that cannot be followed (into inline assembly, into memory
/// or through a loop), a copy and an mbarrier count as writes.
void requireWritten(Program::Impl &impl);

/// A place in the program that is traced.
struct ProgramPoint {
  mlir::Block *block = nullptr;      ///< null: nowhere
  mlir::Operation *before = nullptr; ///< the last operation in front of it; null where it is first
};
ProgramPoint currentPoint(Program::Impl &impl);

/// Ensures that the elements of `source`, which belong to `place`, are still the same here. Throws
/// fairlead::Error (LoadedLate) if memory may have been written in between. If that depends on the
/// run, the program checks it.
void requireUnchanged(Program::Impl &impl, const Tensor &source, const ProgramPoint &place);

/// Emits a check that `target` and `source` are the same elements or share none: an assignment
/// reads one while it writes the other.
void requireApart(Program::Impl &impl, const Tensor &target, const Tensor &source);

/// True if the program has a check of this name.
bool hasCheck(Program::Impl &impl, llvm::StringRef name);

/// Returns the address of a tensor's element, checked so that it is used only if the coordinate is
/// in bounds.
mlir::Value checkedAddress(Program::Impl &impl, const Tensor &tensor,
                           const layout::IntTuple &coordinate, mlir::Value address);

/// Records the tensors that a kernel takes. For their elements, checks of the indices suffice.
void noteTensors(Program::Impl &impl, mlir::gpu::GPUFuncOp kernel,
                 const std::vector<Argument> &arguments);

/// Records `bytes` bytes of shared memory at an address.
void noteAllocation(Program::Impl &impl, mlir::Value address, int64_t offset, int64_t bytes);

/// Ends the allocations that extendAllocation made longer where the kernel's shared memory ends.
void endLongAllocations(const Program::Impl::KernelFrame &kernel);

} // namespace fairlead::dsl
