/// Tensor memory, 128 lanes of columns of 32 bits, and the instructions on it (tcgen05): for
/// GPUs with GpuFeature::TensorMemory.
#ifndef FAIRLEAD_DSL_ATOM_TENSORMEMORY_H_
#define FAIRLEAD_DSL_ATOM_TENSORMEMORY_H_

#include "fairlead/dsl/atom/MmaAtom.h"

namespace fairlead::dsl {

/// By all of a warp: reserves columns, a power of two from 32 to 512, and writes their address to 4
/// bytes of shared memory. Waits until others have freed enough. Throws fairlead::Error (TypeError,
/// LayoutMode) for other numbers that are known while tracing.
FAIRLEAD_API void allocateTensorMemory(const Pointer &place, const Scalar &columns);
/// By all of the warp that reserved it, with the same number of columns.
FAIRLEAD_API void freeTensorMemory(const Pointer &memory, const Scalar &columns);
/// By all of a warp: the block reserves no more, so that others can.
FAIRLEAD_API void relinquishTensorMemory();

/// Arrives at an mbarrier in shared memory when the products that the thread has asked for are
/// done. `mask`: at those of blocks of the cluster. `byOne`: all of a warp come to it, and the
/// thread that asks for its products does it; else all that come to it do.
FAIRLEAD_API void commitTensorProducts(const Pointer &barrier,
                                       const std::optional<Scalar> &mask = std::nullopt,
                                       bool byOne = true);
/// Until the thread's loads from tensor memory, or its stores to it, are done.
FAIRLEAD_API void waitTensorLoads();
FAIRLEAD_API void waitTensorStores();
/// Orders what threads do to tensor memory around their barriers.
FAIRLEAD_API void fenceTensorBefore();
FAIRLEAD_API void fenceTensorAfter();

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_ATOM_TENSORMEMORY_H_
