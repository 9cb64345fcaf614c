/// Tensor memory, 128 lanes of columns of 32 bits, and the instructions on it (tcgen05): for
/// GPUs with GpuFeature::TensorMemory.
#pragma once

#include "fairlead/dsl/atom/CopyAtom.h"
#include "fairlead/dsl/atom/MmaAtom.h"

namespace fairlead::dsl {

/// Reserves columns, a power of two from 32 to 512, and writes their address to 4 bytes of shared
/// memory. All threads of a warp must call it. Waits until other blocks have freed enough.
/// `ofPair`: a warp of each block of a pair calls it, and both get the same columns of their own
/// memory; then all instructions on tensor memory of the kernel are of pairs. Throws
/// fairlead::Error (TypeError, LayoutMode) for other numbers that are known while tracing.
FAIRLEAD_API void allocateTensorMemory(const Pointer &place, const Scalar &columns,
                                       bool ofPair = false, SourceLoc at = SourceLoc::here());
/// Frees tensor memory. All threads of the warp that reserved it must call it with its columns. Of
/// a pair, both blocks must have finished their accesses.
FAIRLEAD_API void freeTensorMemory(const Pointer &memory, const Scalar &columns,
                                   bool ofPair = false, SourceLoc at = SourceLoc::here());
/// Ends the block's reservations, so that others can reserve. All threads of a warp must call it.
FAIRLEAD_API void relinquishTensorMemory(bool ofPair = false, SourceLoc at = SourceLoc::here());

/// Arrives at an mbarrier in shared memory when the products that the thread has issued are done.
/// `mask`: the blocks of the cluster whose mbarriers get the arrival. `byOne`: all threads of a
/// warp call it, and only the thread that issues its products arrives; otherwise every caller does.
FAIRLEAD_API void commitTensorProducts(const Pointer &barrier,
                                       const std::optional<Scalar> &mask = std::nullopt,
                                       bool byOne = true, bool ofPair = false,
                                       SourceLoc at = SourceLoc::here());

/// Return the descriptors of a partition of shared memory, of elements of 8 bits, for copies by an
/// atom of CopyKind::TensorMemoryRows: pairs of words in place of the values of an instruction.
/// Throws fairlead::Error (ValueError, LayoutOperation) for rows that are not 16 neighbouring bytes
/// each.
FAIRLEAD_API Tensor rowDescriptors(const CopyAtom &atom, const Tensor &part,
                                   SourceLoc at = SourceLoc::here());
/// Copies the rows of descriptors to tensor memory; products that the thread issues later come
/// after. Throws fairlead::Error (TypeError, CopyMemory; ValueError, CopyPartitions).
FAIRLEAD_API void copyRowsToTensorMemory(const CopyAtom &atom, const Tensor &descriptors,
                                         const Tensor &destination,
                                         SourceLoc at = SourceLoc::here());

/// Return the descriptor of an operand of tcgen05.mma, (rows, K), in shared memory: a tensor of one
/// pair of words. `transposed`: K is the slowest mode. `next`: the buffer where K-major rows go on
/// that are longer than their swizzle's. Throws fairlead::Error (TypeError, CopyMemory; ValueError,
/// LayoutOperation).
FAIRLEAD_API Tensor operandDescriptor(const Tensor &part, bool transposed,
                                      const std::optional<Pointer> &next = std::nullopt,
                                      SourceLoc at = SourceLoc::here());

/// copy() by an atom of CopyKind::TensorMemoryExtremes. `found`, Float32 in registers, gets the
/// least or greatest of the values of each instruction. Throws what copy() throws, and
/// fairlead::Error (ValueError, CopyPartitions) for another number of elements in `found`.
FAIRLEAD_API void copyExtremes(const CopyAtom &atom, const Tensor &source,
                               const Tensor &destination, const Tensor &found,
                               SourceLoc at = SourceLoc::here());

/// Wait until the thread's loads from tensor memory, or its stores to it, are done.
FAIRLEAD_API void waitTensorLoads(SourceLoc at = SourceLoc::here());
FAIRLEAD_API void waitTensorStores(SourceLoc at = SourceLoc::here());
/// Order accesses to tensor memory before and after the threads' barriers.
FAIRLEAD_API void fenceTensorBefore(SourceLoc at = SourceLoc::here());
FAIRLEAD_API void fenceTensorAfter(SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
