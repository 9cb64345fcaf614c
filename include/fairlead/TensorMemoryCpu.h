/// Functions that CPU kernels call in place of instructions on tensor memory (tcgen05). Each call
/// completes before it returns. Numbers are part of exported objects.
///
/// An address has the column in its lower 16 bits and the lane above. Using columns that the block
/// has not reserved, or lanes that a warp does not reach, is an error of the launch.
#pragma once

#include "fairlead/AsyncCpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Added to the columns of FairleadCpuTensorMemoryAlloc: the block reserves together with the other
/// one of its pair, and both get the same columns.
enum { kFairleadColumnsOfPair = 1 << 16 };
/// Reserves columns for the running block, and writes their address to `target`. Asking for more
/// than are free is an error of the launch.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryAlloc(void *target, int32_t columns);
/// Returns the mbarrier whose phase of parity 0 ends when the other block of the pair has asked for
/// columns as often as the running block.
FAIRLEAD_RUNTIME_API void *FairleadCpuTensorMemoryPair(void);
/// Frees columns that FairleadCpuTensorMemoryAlloc reserved. Freeing others is an error of the
/// launch.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryFree(int32_t address, int32_t columns);
/// Says that the running block reserves no more columns. Reserving more is an error of the launch.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryRelinquish(void);

/// Added to the bits of a copy's step: each register holds the lower halves of two columns.
enum { kFairleadTensorHalves = 1 << 16 };
/// Copies `count` words to the registers of one thread of a warp, or from them. `lanes` and `bits`
/// are those of one step of the copy; `thread` is the thread's index in its block. Steps of 16 x 32
/// bits: threads 16 to 31 copy the `count` columns to the right of the others'.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryLoad(void *registers, int32_t address,
                                                      int32_t count, int32_t lanes, int32_t bits,
                                                      int32_t thread);
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryStore(const void *registers, int32_t address,
                                                       int32_t count, int32_t lanes, int32_t bits,
                                                       int32_t thread);

/// Flags of FairleadCpuTensorMemoryMma.
enum FairleadTensorProduct {
  kFairleadProductAdds = 1,        ///< to the accumulator
  kFairleadProductTransposesA = 2, ///< A lies with K slowest
  kFairleadProductTransposesB = 4, ///< B lies with K slowest
  kFairleadProductOfPair = 8,      ///< of two blocks of a cluster
};
/// Multiplies A (m, K) and B (n, K), K of 32 bytes, in the shared memory that the descriptors tell.
/// `d`: the accumulator's address. `types`: of A, of B << 8, of the accumulator << 16, each one of
/// FairleadMmaType.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryMma(const void *shared, int32_t d, int64_t a,
                                                     int64_t b, int32_t m, int32_t n, int32_t types,
                                                     int32_t flags);

/// Kinds of FairleadCpuTensorMemoryScaledMma.
enum FairleadScaledKind {
  kFairleadScaledMXF8F6F4 = 0, ///< of floats of 4, 6 and 8 bits, 16 of which take 16 bytes
  kFairleadScaledMXF4 = 1,     ///< of packed floats of 4 bits
  kFairleadScaledMXF4NVF4 = 2, ///< the same
};
/// FairleadCpuTensorMemoryMma of floats that have scale factors in tensor memory: those of A begin
/// at `scales_a`. `extents`: m, n << 16. `types`: of A, of B << 8, the kind << 16, whether scale
/// factors are exponents <<
/// 24. `flags`: those of FairleadTensorProduct, and elements along K that share a scale factor
/// << 8.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryScaledMma(const void *shared, int32_t d, int64_t a,
                                                           int64_t b, int32_t scales_a,
                                                           int32_t scales_b, int32_t extents,
                                                           int32_t types, int32_t flags);

/// Multiplies the fragments of a warp (mma.sync with block scaling), 16 x 8. `registers`: four of
/// A, two of B, four of C, one of A's scale factors and one of B's, of each those of all 32 lanes.
/// The result replaces C. `types`: of A, of B << 8, whether scale factors are exponents << 16,
/// elements along K that share a scale factor << 24. Does nothing unless `lane` is 0.
FAIRLEAD_RUNTIME_API void FairleadCpuScaledMma(void *registers, int32_t types, int32_t lane);

/// Shapes of FairleadCpuTensorMemoryCopy: rows and bits of a row.
enum FairleadTensorRows {
  kFairleadRows128x256 = 0,
  kFairleadRows4x256 = 1, ///< to the first lane of each warp's 32
  kFairleadRows128x128 = 2,
  kFairleadRows64x128Of02 = 3, ///< to lanes i and i + 64
  kFairleadRows64x128Of01 = 4, ///< 32 rows to the lanes of warps 0 and 1, the others to 2 and 3
  kFairleadRows32x128 = 5,     ///< to the lanes of every warp
};
/// Copies rows of shared memory, which the descriptor tells, to tensor memory. `pair`: 1 if both
/// blocks of a pair copy.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryCopy(const void *shared, int32_t address,
                                                      int64_t descriptor, int32_t shape,
                                                      int32_t pair);

/// Arrives at the barrier of each block of the cluster whose bit of `blocks` is set.
FAIRLEAD_RUNTIME_API void FairleadCpuTensorMemoryCommit(void *barrier, int32_t blocks);

#ifdef __cplusplus
}
#endif
