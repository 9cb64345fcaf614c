/// Operations that blocks of a cluster, and consecutive kernels, do together. For kernels, like
/// fairlead/dsl/Block.h; clusters are for GPUs of compute capability 9.0 and up, and for the CPU,
/// where a kernel starts when earlier ones have ended.
#pragma once

#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Program.h"
#include "fairlead/dsl/SourceLoc.h"

namespace fairlead::dsl {

/// The cluster's place in the grid, and clusters of the grid.
FAIRLEAD_API Dim3 clusterIdx();
FAIRLEAD_API Dim3 clusterDim();
/// The block's place in its cluster, and blocks of a cluster.
FAIRLEAD_API Dim3 blockInClusterIdx();
FAIRLEAD_API Dim3 blockInClusterDim();
/// blockInClusterIdx and blockInClusterDim as one number, with x fastest.
FAIRLEAD_API Scalar blockRankInCluster();
FAIRLEAD_API Scalar clusterSize();

/// The two halves of a barrier of all threads of a cluster; `relaxed`: memory is not ordered.
FAIRLEAD_API void clusterArrive(bool relaxed = false, SourceLoc at = SourceLoc::here());
FAIRLEAD_API void clusterWait(SourceLoc at = SourceLoc::here());
/// The shared memory at `pointer` as block `rank` of the cluster has it.
FAIRLEAD_API Pointer mapToBlock(const Pointer &pointer, const Scalar &rank,
                                SourceLoc at = SourceLoc::here());
/// True if the address may be in another block of the cluster: a result of mapToBlock, or an
/// address derived from one.
FAIRLEAD_API bool isInCluster(const Pointer &pointer);

/// Asks for a cluster of the grid that has not started, which then never starts. The answer, 16
/// bytes, comes to `response` asynchronously, and counts at the mbarrier; with `multicast` in all
/// blocks of the cluster. The whole warp comes here, and one thread asks. After a refusal the
/// cluster must not ask again. Both addresses are in shared memory, `response` is aligned to 16
/// bytes. For GPUs of compute capability 10.0 and up. Throws fairlead::Error.
FAIRLEAD_API void tryCancelCluster(const Pointer &response, const Pointer &barrier, bool multicast,
                                   SourceLoc at = SourceLoc::here());
/// An answer to tryCancelCluster: the index of the first block of the cancelled cluster, without
/// meaning if `cancelled` (Boolean) is false.
struct CancelledCluster {
  Dim3 firstBlock;
  Scalar cancelled;
};
FAIRLEAD_API CancelledCluster queryCancelledCluster(const Pointer &response,
                                                    SourceLoc at = SourceLoc::here());

/// True in one thread of the warp, all of whose threads come here together.
FAIRLEAD_API Scalar electOne(SourceLoc at = SourceLoc::here());

/// Programmatic dependent launch: waits for the preceding kernels of the stream and their writes;
/// lets the next one start.
FAIRLEAD_API void waitForPrevious(SourceLoc at = SourceLoc::here());
FAIRLEAD_API void launchDependents(SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
