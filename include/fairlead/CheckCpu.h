/// Functions that CPU kernels compiled under `--check` call. The numbers are part of exported
/// objects.
///
/// A site is a place in the user's program: 4 bytes of 0 (the runtime's number of it), then
/// NUL-terminated text with fields separated by the character 31: file, line, kernel, tensor,
/// memory ("global", "shared", "register"). Shared memory adds its allocation: file, line, offset
/// in the block's memory, bytes. Threads are numbered in their block, x fastest.
#pragma once

#include "fairlead/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// More of FairleadLaunch::flags.
enum FairleadCheckFlag {
  kFairleadLaunchChecked = 16,  ///< the kernel calls the functions below
  kFairleadLaunchShadowed = 32, ///< also those of accesses: its blocks run one after another
  kFairleadLaunchSync = 64,     ///< synchronisation is checked too
  kFairleadLaunchAgents = 128,  ///< there are products of warpgroups, or bulk copies from shared
                                ///< memory
};

/// The FairleadSchedule begins at this bit of FairleadLaunch::flags.
enum { kFairleadLaunchSchedule = 8 };
/// The order of blocks, and of threads that do not wait for each other. 0: the fastest order.
enum FairleadSchedule {
  kFairleadScheduleForward = 1,
  kFairleadScheduleBackward = 2,
  kFairleadScheduleRandom = 3, ///< and more: this plus the seed
};

/// Announces a tensor of the call that begins, whose memory kernels may access. `text`: its name, a
/// character 31, and the name of its elements' type. Extents and strides are counted in elements,
/// of `bits` bits each. `index` 0 forgets the tensors of the previous call; -1 ends the call.
FAIRLEAD_RUNTIME_API void FairleadCheckTensor(int32_t index, const char *text, void *data,
                                              int32_t bits, int32_t rank, const int64_t *extents,
                                              const int64_t *strides);

/// Reports an index that is not below its mode's extent. `mode`: the mode's number, or its bitwise
/// complement if the finding is only a note.
FAIRLEAD_RUNTIME_API void FairleadCheckIndex(void *site, int32_t thread, int32_t mode,
                                             int64_t index, int64_t extent);
/// Returns memory to access in place of memory that does not exist. Its bytes are 0.
FAIRLEAD_RUNTIME_API void *FairleadCheckSink(void);
/// Returns the address to access after an index was reported: the sink, or the address itself if
/// calls go on after findings. The address is then checked against the tensor's memory.
FAIRLEAD_RUNTIME_API void *FairleadCheckInstead(void *address);
/// Returns the address if `bytes` bytes there are inside the tensor of the call that `base` points
/// into, or if that is unknown. Otherwise reports the access and returns the sink.
FAIRLEAD_RUNTIME_API void *FairleadCheckTensorRange(void *site, int32_t thread, void *address,
                                                    void *base, int32_t bytes);
/// FairleadCheckTensorRange for memory of `size` bytes from `base` on; -1 if the memory does not
/// exist.
FAIRLEAD_RUNTIME_API void *FairleadCheckRange(void *site, int32_t thread, void *address, void *base,
                                              int64_t size, int32_t bytes);

/// The kind of an access in the low bits; its number of bytes from bit 8 on.
enum FairleadCheckAccessKind {
  kFairleadCheckRead = 0,
  kFairleadCheckWrite = 1,
  kFairleadCheckAtomic = 2,
  kFairleadCheckCopy = 3,        ///< a write that is done when the thread has waited for its copies
  kFairleadCheckKind = 3,        ///< these bits
  kFairleadCheckSync = 4,        ///< an atomic that orders the accesses before and after it
  kFairleadCheckValue = 8,       ///< `low` and `high` are the written value
  kFairleadCheckOnlyInside = 32, ///< of spans: no access, but the memory must exist
  kFairleadCheckLoad = 64,       ///< an atomic that only reads
  kFairleadCheckOfBlock = 128,   ///< an atomic for the threads of its block alone
  kFairleadCheckRows = 16, ///< of the first lanes of a warp only, as many as bits 24 to 31 say
};
/// A thread is going to access memory.
FAIRLEAD_RUNTIME_API void FairleadCheckAccess(void *site, int32_t thread, void *address,
                                              int32_t what, int64_t low, int64_t high);

/// Accesses of all threads of a part of a block. The part starts at thread `thread` and has `x` by
/// `y` by `z` threads. In round (l, m), thread (i, j, k) accesses first + i stride[0] + j stride[1]
/// + k stride[2] + l stride[3] + m stride[4].
typedef struct FairleadCheckSpan {
  void *site;
  void *first;
  void *last;        ///< of the last thread in the last round
  void *base;        ///< points into the tensor that must contain it; null: not checked
  int64_t what;      ///< as of FairleadCheckAccess
  int64_t stride[5]; ///< bytes
  int64_t rounds[2];
} FairleadCheckSpan;
/// Returns 1 if all these accesses are valid; they are then recorded. 0: report each of them.
FAIRLEAD_RUNTIME_API int32_t FairleadCheckSpans(const FairleadCheckSpan *spans, int32_t number,
                                                int64_t x, int64_t y, int64_t z, int32_t thread);

/// Returns 1 if the previous block made the same call of FairleadCheckSpans, which the caller then
/// skips. Only for spans of shared memory, which are the same in all blocks. `step` is the call's
/// number in the kernel, from 1 on.
FAIRLEAD_RUNTIME_API int32_t FairleadCheckRepeats(int32_t step, int64_t x, int64_t y, int64_t z,
                                                  int32_t thread);

/// Events that order threads.
enum FairleadCheckOrder {
  kFairleadCheckCommit = 0,      ///< the thread's copies so far are a group
  kFairleadCheckWaitCopies = 1,  ///< for all groups but the last `number`
  kFairleadCheckArrive = 2,      ///< at the mbarrier at `address`, `number` times
  kFairleadCheckCopiesReach = 3, ///< the same, when the thread's copies are done
  kFairleadCheckPassed = 4,      ///< its phase of parity `number` has ended
  kFairleadCheckBox = 5,   ///< `number` bytes from `address` on come by a copy of the thread, which
                           ///< arrives at the mbarrier `barrier`
  kFairleadCheckIssue = 6, ///< the next product or bulk copy from shared memory is its;
                           ///< `number` is a FairleadCheckIssueKind
  kFairleadCheckFence = 7, ///< between the proxies
  kFairleadCheckCommitStores = 8,    ///< bulk copies from shared memory so far are a group
  kFairleadCheckWaitStores = 9,      ///< for all of these groups but the last `number`
  kFairleadCheckCommitProducts = 10, ///< products of the warpgroup so far are a group
  kFairleadCheckWaitProducts = 11,   ///< for all of these groups but the last `number`
  kFairleadCheckFenceProducts = 12,  ///< registers are ready for products
  kFairleadCheckProduct = 13,        ///< a product writes `number` bytes of registers at `address`
  kFairleadCheckRegisters = 14,      ///< these are read or written by something else
  kFairleadCheckInit = 15,           ///< the mbarrier at `address` begins; with `number` 0 it is
                                     ///< going to be waited for
  kFairleadCheckBoxes = 16, ///< as Box, to the same places in the blocks of the cluster whose bits
                            ///< are set from bit 32 of `number` on, as FairleadCpuTensorMulticast
                            ///< takes them
  kFairleadCheckFenceMbarriers = 17, ///< those that have begun are known to copies from now on
  kFairleadCheckArriveInBlocks = 18, ///< as Arrive, once at the same mbarrier of each block of the
                                     ///< cluster whose bit of `number` is set
  kFairleadCheckTensorCommit = 19,   ///< as Arrive, when the products in tensor memory that the
                                     ///< thread has issued are done; in each block of the cluster
                                     ///< whose bit of `number` is set, in this one if it is 0
  kFairleadCheckTensorStored = 20,   ///< the thread's stores to tensor memory are done
  kFairleadCheckTensorFree = 21,     ///< frees columns: the address, and from bit 32 on the number
  kFairleadCheckTensorReserve = 22,  ///< reserves columns
  kFairleadCheckOperand = 23, ///< the announced product reads an operand by a descriptor that was
                              ///< made for the memory at `address`; `number`: its bytes, and 1 <<
                              ///< 32 for B. The site's tensor is the operand's name.
};
enum FairleadCheckIssueKind {
  kFairleadCheckIssueProduct = 1,
  kFairleadCheckIssueValues = 2, ///< under `init`
  kFairleadCheckIssueOrder = 4,  ///< under `race`, of tensor memory
};
FAIRLEAD_RUNTIME_API void FairleadCheckOrder(void *site, int32_t thread, int32_t what,
                                             void *address, int64_t number, void *barrier);
/// All threads of the block are at a barrier (`first` -1), or the lanes of the warp that begins
/// with thread `first` exchange values.
FAIRLEAD_RUNTIME_API void FairleadCheckTogether(int32_t first);

/// The thread is about to wait for other threads, at the site.
FAIRLEAD_RUNTIME_API void FairleadCheckWaits(void *site, FairleadCpuThread *thread);

/// A step of a thread through branches and loops that contain meeting points of threads.
enum FairleadCheckBranchEvent {
  kFairleadCheckElse = 0,      ///< it takes the `else` side of a branch
  kFairleadCheckThen = 1,      ///< it takes the other side
  kFairleadCheckIteration = 2, ///< it begins an iteration of a loop
  kFairleadCheckLeaves = 3,    ///< it leaves the branch or the loop
  kFairleadCheckActs = 4,      ///< it goes on after it: it stores something, or waits
};
/// `branch`: the number in the kernel of the branch or loop at `site`.
FAIRLEAD_RUNTIME_API void FairleadCheckBranch(void *site, int32_t thread, int32_t branch,
                                              int32_t event);
/// The thread comes to an operation that all of its `group` threads have to come to: those of a
/// warp (32) or a warpgroup (128). The site's tensor is the operation's name.
FAIRLEAD_RUNTIME_API void FairleadCheckReaches(void *site, int32_t thread, int32_t group);
/// The branch or loop at `branch` has an operation of all lanes of a warp inside, at `site`, and
/// the thread's condition differs from that of other lanes.
FAIRLEAD_RUNTIME_API void FairleadCheckDisagrees(void *site, void *branch, int32_t thread);

/// Reports an infinity or NaN that was computed from finite numbers.
FAIRLEAD_RUNTIME_API void FairleadCheckFinite(void *site, int32_t thread, double result);

/// A breakpoint: passes the text, formatted as by printf, to the global function
/// "fairlead.checks.stop", or prints it if no such function exists. If the function fails, the
/// launch has no further breakpoints and ends with the error.
FAIRLEAD_RUNTIME_API void FairleadCheckStop(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/// Shadow of memory: `bits` has a 1 for each bit without a value; `unused` is room for data that
/// nothing here reads. Code instrumented by LLVM's memory sanitizer calls the functions below.
typedef struct FairleadShadow {
  void *bits;
  void *unused;
} FairleadShadow;
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckLoadShadow(void *address, uint64_t bytes);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckLoadShadow1(void *address);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckLoadShadow2(void *address);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckLoadShadow4(void *address);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckLoadShadow8(void *address);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckStoreShadow(void *address, uint64_t bytes);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckStoreShadow1(void *address);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckStoreShadow2(void *address);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckStoreShadow4(void *address);
FAIRLEAD_RUNTIME_API FairleadShadow FairleadCheckStoreShadow8(void *address);
/// The bits of parameters and results.
FAIRLEAD_RUNTIME_API void *FairleadCheckContext(void);
/// Memory of a thread's own begins.
FAIRLEAD_RUNTIME_API void FairleadCheckOwn(void *address, uint64_t bytes, const char *name);
/// The bits of the block's shared memory, in the order of its bytes; it begins at `shared`.
FAIRLEAD_RUNTIME_API void *FairleadCheckSharedShadow(const FairleadLaunch *launch, void *shared);
/// Reports the use of a value that was never written; the site's tensor says how it is used.
FAIRLEAD_RUNTIME_API void FairleadCheckUninitialised(void *site, int32_t thread);
FAIRLEAD_RUNTIME_API void *FairleadCheckMemcpy(void *target, const void *source, uint64_t bytes);
FAIRLEAD_RUNTIME_API void *FairleadCheckMemmove(void *target, const void *source, uint64_t bytes);
FAIRLEAD_RUNTIME_API void *FairleadCheckMemset(void *target, int32_t value, uint64_t bytes);

/// Returns the findings of this thread's last checked call, for tools that present them in another
/// form. Valid until the next call. Findings are separated by the character 30, fields by 31: kind,
/// tensor, message, hint, pairs, blocks; then for each access: kind, file, line, source, thread,
/// block.
FAIRLEAD_RUNTIME_API const char *FairleadCheckFindings(void);

#ifdef __cplusplus
}
#endif
