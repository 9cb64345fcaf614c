/// Functions that CPU kernels call in place of a GPU's asynchronous copies, their barriers, and
/// warpgroup instructions. Each call completes before it returns. Numbers and layouts are part of
/// exported objects.
#pragma once

#include "fairlead/TensorMap.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Actions of FairleadCpuMbarrier.
enum FairleadMbarrierAction {
  kFairleadMbarrierInit = 0,         ///< phases end after `number` arrivals
  kFairleadMbarrierArrive = 1,       ///< `number` times
  kFairleadMbarrierArriveExpect = 2, ///< announces `number` bytes, and arrives
  kFairleadMbarrierExpect = 3,       ///< announces `number` bytes
  kFairleadMbarrierComplete = 4,     ///< `number` bytes have come
};
/// Performs the action on the 8 bytes of a barrier in shared memory.
FAIRLEAD_RUNTIME_API void FairleadCpuMbarrier(void *barrier, int32_t action, int32_t number);

/// Actions of FairleadCpuTensorCopy on a box.
enum FairleadBoxAction {
  kFairleadBoxLoad = 0,   ///< from the tensor to shared memory; outside of the tensor it reads 0
  kFairleadBoxStore = 1,  ///< from shared memory to the tensor; elements outside of it are dropped
  kFairleadBoxReduce = 2, ///< and on, the store combined with what is there: plus ReduceKind
};
/// Copies the box at the coordinates; coordinates beyond the map's dimensions are ignored. Shared
/// memory is swizzled by its addresses. `barrier` counts the bytes of a load; NULL for a store.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorCopy(const FairleadTensorMap *map, void *shared,
                                                void *barrier, int32_t action, int32_t c0,
                                                int32_t c1, int32_t c2, int32_t c3, int32_t c4);

/// A bit of FairleadCpuTensorMulticast's `blocks`: the barrier of the even block of each target's
/// pair counts the bytes. Without other bits the block's own memory is the target.
enum { kFairleadBlocksOfPairs = 1 << 16 };
/// Loads the box into the same place of each block of the cluster whose bit of `blocks` is set.
/// Each of their barriers counts the bytes.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMulticast(const FairleadTensorMap *map, void *shared,
                                                     void *barrier, int32_t blocks, int32_t c0,
                                                     int32_t c1, int32_t c2, int32_t c3,
                                                     int32_t c4);

/// Returns the address in the shared memory of block `rank` of the cluster that corresponds to
/// `address`.
FAIRLEAD_RUNTIME_API void *FairleadCpuMapShared(void *address, int32_t rank);

/// Copies neighbouring bytes. `barrier`, if not NULL, counts them.
FAIRLEAD_RUNTIME_API void FairleadCpuBulkCopy(void *target, const void *source, int32_t bytes,
                                              void *barrier);

/// Copies to the same place of each block of the cluster whose bit of `blocks` is set.
FAIRLEAD_RUNTIME_API void FairleadCpuBulkMulticast(void *target, const void *source, int32_t bytes,
                                                   void *barrier, int32_t blocks);

/// Takes a cluster of the grid that has not started: it never starts then. Writes 16 bytes to
/// `response`, in all blocks of the cluster if `multicast` is not 0: the index of its first block
/// as three int32_t, and 1, or zeros if all have started. The barrier counts the bytes.
FAIRLEAD_RUNTIME_API void FairleadCpuTryCancel(void *response, void *barrier, int32_t multicast);

/// Element types of FairleadCpuWarpgroupMma.
enum FairleadMmaType {
  kFairleadMmaF16 = 0,
  kFairleadMmaBF16 = 1,
  kFairleadMmaTF32 = 2,
  kFairleadMmaE4M3 = 3,
  kFairleadMmaE5M2 = 4,
  kFairleadMmaS8 = 5,
  kFairleadMmaU8 = 6,
  kFairleadMmaF32 = 7,
  kFairleadMmaS32 = 8,
  // The numbers of other types are those of ir::ProductType.
  kFairleadMmaE2M3 = 11,
  kFairleadMmaE3M2 = 12,
  kFairleadMmaE2M1 = 13,       ///< 16 elements in 8 bytes of 16
  kFairleadMmaE2M1Packed = 14, ///< two elements in a byte
};
/// One thread's part of a warpgroup's product of A (64, K) and B (n, K), both in the block's shared
/// memory, which the descriptors tell. `sums`: the thread's n / 2 values of the accumulator.
/// `types`: of A, of B << 8, of the accumulator << 16. `flags`: 1 the accumulator is added, 2 A and
/// 4 B lie with K slowest. `thread`: in its warpgroup.
FAIRLEAD_RUNTIME_API void FairleadCpuWarpgroupMma(void *sums, const void *shared, int64_t a,
                                                  int64_t b, int32_t n, int32_t types,
                                                  int32_t flags, int32_t thread);
/// FairleadCpuWarpgroupMma with A in registers. `a`: rows r and r + 8 of the 16 rows of the
/// thread's warp, with r = lane / 4; 32 bytes each.
FAIRLEAD_RUNTIME_API void FairleadCpuWarpgroupMmaRows(void *sums, const void *shared, const void *a,
                                                      int64_t b, int32_t n, int32_t types,
                                                      int32_t flags, int32_t thread);

#ifdef __cplusplus
}
#endif
