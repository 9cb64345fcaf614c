/// Barriers in shared memory (mbarriers): threads and asynchronous copies arrive at them, and they
/// order the effects of the two. For kernels; compute capability 9.0 and up.
#pragma once

#include <optional>
#include <string>

#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/SourceLoc.h"

namespace fairlead::dsl {

/// An mbarrier is 8 bytes in shared memory, with phases 0, 1, 2, ... A phase ends after the number
/// of arrivals that the barrier was initialized with, and after all announced bytes have arrived.
/// A wait ends with the last phase of its parity; for a fresh barrier, parity 1 has already ended.
///
/// `block`: use the mbarrier at the same address of that block of the cluster. Throw
/// fairlead::Error (TypeError) for addresses that are not in shared memory.
FAIRLEAD_API void initMbarrier(const Pointer &barrier, const Scalar &arrivals,
                               SourceLoc at = SourceLoc::here());
/// Makes initialized barriers known to other blocks and to copies, before a barrier of the block or
/// the cluster.
FAIRLEAD_API void fenceMbarriers(SourceLoc at = SourceLoc::here());
FAIRLEAD_API void arrive(const Pointer &barrier, const Scalar &count = 1,
                         const std::optional<Scalar> &block = std::nullopt,
                         SourceLoc at = SourceLoc::here());
/// Arrives after reading data of copies, by warpgroups or copies. The thread's own writes need not
/// be visible to waiting threads, which makes other blocks' barriers cheaper.
FAIRLEAD_API void arriveAfterReading(const Pointer &barrier,
                                     const std::optional<Scalar> &block = std::nullopt,
                                     SourceLoc at = SourceLoc::here());
/// Announces bytes, and arrives.
FAIRLEAD_API void arriveExpecting(const Pointer &barrier, const Scalar &bytes,
                                  const std::optional<Scalar> &block = std::nullopt,
                                  SourceLoc at = SourceLoc::here());
/// Announces bytes that copies to this block will bring.
FAIRLEAD_API void expectBytes(const Pointer &barrier, const Scalar &bytes,
                              const std::optional<Scalar> &block = std::nullopt,
                              SourceLoc at = SourceLoc::here());
/// Stores `value`, of 32 or 64 bits, at the place of `target` in the shared memory of block `block`
/// of the cluster. On arrival, the mbarrier at the place of `barrier` in that block receives its 4
/// or 8 bytes. Without `block` both are addresses in that block, results of mapToBlock. Throws
/// fairlead::Error (TypeError), including for numbers of other widths.
FAIRLEAD_API void storeAsync(const Pointer &target, const Scalar &value, const Pointer &barrier,
                             const std::optional<Scalar> &block, SourceLoc at = SourceLoc::here());
/// Arrives when the thread's `cp.async` copies so far are done.
FAIRLEAD_API void arriveAfterCopies(const Pointer &barrier, SourceLoc at = SourceLoc::here());
FAIRLEAD_API void waitMbarrier(const Pointer &barrier, const Scalar &parity,
                               SourceLoc at = SourceLoc::here());
/// Returns true if the phase has ended: at once (test), or after waiting a short time (try).
/// Boolean.
FAIRLEAD_API Scalar tryWait(const Pointer &barrier, const Scalar &parity,
                            SourceLoc at = SourceLoc::here());
FAIRLEAD_API Scalar testWait(const Pointer &barrier, const Scalar &parity,
                             SourceLoc at = SourceLoc::here());

/// Orders threads' memory accesses and those of asynchronous copies and warpgroups. `kind`:
/// "alias", "async", "async.global" or "async.shared"; `space`: "cta", "cluster" or nothing. Throws
/// fairlead::Error (TypeError) for others.
FAIRLEAD_API void fenceProxy(const std::string &kind, const std::string &space = "",
                             SourceLoc at = SourceLoc::here());
/// Makes earlier writes visible to the cluster.
FAIRLEAD_API void fenceCluster(SourceLoc at = SourceLoc::here());

/// The first half of barrier(): counts this thread's warp at barrier `id`, without waiting.
FAIRLEAD_API void barrierArrive(const Scalar &id, const Scalar &threads,
                                SourceLoc at = SourceLoc::here());

/// Sets the number of registers of each thread of a warpgroup: 24 to 256, a multiple of 8. All
/// threads of the warpgroup must call it. Throws fairlead::Error (TypeError).
FAIRLEAD_API void setRegisters(int count, bool increase, SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
