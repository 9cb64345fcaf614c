/// Operations of the threads of a block together: shared memory, barriers, warp collectives,
/// atomics. They are for kernels and throw fairlead::Error (RuntimeError, OutsideKernel) elsewhere.
/// They mean the same on a GPU and on the CPU, where a deadlock ends the launch with an error.
#pragma once

#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// Threads of a warp, on every target.
inline constexpr int kWarpSize = TargetInfo::kWarpThreads;
/// Every thread of a warp, as a mask.
inline constexpr int kFullMask = -1;

/// Reserves `bytes` of the block's shared memory, aligned to `alignment` bytes (a power of two up
/// to 1024), and returns its address. Reservations of a kernel add up; a launch without
/// `sharedBytes` uses their sum.
FAIRLEAD_API Pointer allocateShared(DType dtype, int64_t bytes, int64_t alignment,
                                    SourceLoc at = SourceLoc::here());
/// In a published program (see TracingDialect): lets checks and guards accept accesses of all of
/// `tensor`, within the block's memory, where it begins in a reservation that is shorter. Returns
/// the bytes from its begin to the reservation's end, or nothing if the tensor lies within it.
FAIRLEAD_API std::optional<int64_t> extendAllocation(const Tensor &tensor);
/// Bytes reserved so far in the kernel being traced.
FAIRLEAD_API int64_t sharedBytes();
/// From here on, the two branches of a run-time `if` reserve the same shared memory, not one after
/// the other. All threads of a block must take the same branch.
FAIRLEAD_API void mergeSharedOfBranches();
/// Bytes of shared memory that the running block was launched with, Int32.
FAIRLEAD_API Scalar dynamicSharedBytes();

/// A private tensor of each thread: in registers if every index is known while tracing, otherwise
/// in local memory. Its elements are initially undefined. The layout must be static. Throws
/// fairlead::Error (ValueError, RegisterTensor).
FAIRLEAD_API Tensor registerTensor(DType dtype, const layout::Layout &layout,
                                   SourceLoc at = SourceLoc::here());

/// Waits for all threads of the block that have not ended; writes before it are seen after it.
FAIRLEAD_API void syncThreads(SourceLoc at = SourceLoc::here());
/// Waits for `threads` threads (a multiple of 32) to arrive at barrier `id`, 0 to 15.
FAIRLEAD_API void barrier(const Scalar &id, const Scalar &threads,
                          SourceLoc at = SourceLoc::here());
/// Waits at barrier `id` for all threads of the block that have not ended.
FAIRLEAD_API void barrier(const Scalar &id, SourceLoc at = SourceLoc::here());
/// Waits for the threads of the warp in `mask`.
FAIRLEAD_API void syncWarp(const Scalar &mask = kFullMask, SourceLoc at = SourceLoc::here());

/// The thread's place in its warp, 0 to 31, and the warp's in its block, Int32. Threads are counted
/// with x fastest.
FAIRLEAD_API Scalar laneIdx();
FAIRLEAD_API Scalar warpIdx();

enum class Shuffle { Index, Up, Down, Butterfly };
/// The value that another thread of the warp passes: thread `offset` (Index), the one `offset`
/// below (Up) or above (Down), or the one whose place differs in the bits of `offset` (Butterfly).
/// `clamp` is that of PTX's shfl.sync: bits 0 to 4 bound the source, bits 8 to 12 divide the warp.
/// A thread whose source is out of bounds gets its own value. Values of any numeric type.
FAIRLEAD_API Scalar shuffle(Shuffle kind, const Scalar &value, const Scalar &offset,
                            const Scalar &mask = kFullMask, const Scalar &clamp = 31,
                            SourceLoc at = SourceLoc::here());

enum class Vote { Any, All, Uniform, Ballot };
/// Returns true if any, all, or all or none of the threads in `mask` pass true (Boolean). Ballot:
/// returns a Uint32 with the bit of each thread that passes true.
FAIRLEAD_API Scalar vote(Vote kind, const Scalar &predicate, const Scalar &mask = kFullMask,
                         SourceLoc at = SourceLoc::here());

enum class AtomicOp { Add, And, Or, Xor, Min, Max, Exchange };
enum class AtomicOrder { Relaxed, Acquire, Release, AcquireRelease };
enum class AtomicScope { Block, Device, System };
/// Replaces `*pointer` by `*pointer op value` in one step; returns the old value. Integers of 32
/// and 64 bits; Add, Min, Max and Exchange also on Float32 and Float64, Add on Float16 and
/// BFloat16. Min and Max ignore a NaN if the other operand is a number.
FAIRLEAD_API Scalar atomic(AtomicOp op, const Pointer &pointer, const Scalar &value,
                           AtomicOrder order = AtomicOrder::Relaxed,
                           AtomicScope scope = AtomicScope::Device,
                           SourceLoc at = SourceLoc::here());
/// Stores `value` if `*pointer` is `expected`; returns the old value. Integers of 32 and 64 bits.
FAIRLEAD_API Scalar atomicCompareExchange(const Pointer &pointer, const Scalar &expected,
                                          const Scalar &value,
                                          AtomicOrder order = AtomicOrder::Relaxed,
                                          AtomicScope scope = AtomicScope::Device,
                                          SourceLoc at = SourceLoc::here());
/// Waits until the writes before it are seen by the scope.
FAIRLEAD_API void fence(AtomicScope scope, SourceLoc at = SourceLoc::here());

/// Prints when the compiled program runs, from host functions and kernels. `format` is C's, without
/// `*` and `%s`, and says how many values it takes; integers pass as 64-bit, floats as double.
FAIRLEAD_API void printFormatted(const std::string &format, const Scalars &values,
                                 SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
