/// The C interface between an artifact's generated code and the runtime library
/// (libcuda_dialect_runtime). No Python, LLVM or CUDA header is needed to read or use it.
///
/// One call of a compiled function goes: entry (checks the arguments, generated from the
/// signature) -> host program (traced from the user's function) -> launches. The first failure
/// stores an error in the thread's TVM FFI error slot and sets `status`; later launches of the same
/// call do nothing, and the entry returns `status`.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tvm/ffi/c_api.h"

#define FAIRLEAD_RUNTIME_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// State of one call of a compiled function. Lives on the entry's stack.
typedef struct FairleadCallContext {
  int32_t status;      ///< 0, or -1 once an error has been raised
  int32_t device_type; ///< DLDeviceType on which this call runs (kDLCPU, kDLCUDA)
  int32_t device_id;   ///< ordinal of that device
  int32_t reserved;    ///< 0
} FairleadCallContext;

/// Bits of FairleadLaunch::flags. The numbers are part of exported objects.
enum FairleadLaunchFlag {
  kFairleadLaunchCooperative = 1,  ///< all blocks run at once, and may wait for each other (CUDA)
  kFairleadLaunchProgrammatic = 2, ///< may start before the kernel ahead of it in the stream ends
  kFairleadLaunchAssertions = 4,   ///< the kernel may call FairleadCpuAssert (CPU)
};

/// Extents of one kernel launch, in blocks, threads and bytes.
typedef struct FairleadLaunch {
  int32_t grid[3];
  int32_t block[3];
  int32_t cluster[3];   ///< in blocks; 0,0,0: no cluster
  int32_t shared_bytes; ///< dynamic shared memory of a block
  int32_t has_stream;   ///< 0: the environment's stream on the call's device
  int32_t flags;        ///< FairleadLaunchFlag, joined by or
  void *stream;         ///< cudaStream_t, meaningful when has_stream is 1
} FairleadLaunch;

/// A kernel compiled for the CPU: runs all threads of the block `(x, y, z)`. `params[i]` points at
/// the value of parameter i. `shared` is the block's dynamic shared memory (NULL when 0 bytes).
typedef void (*FairleadCpuKernel)(void *const *params, const FairleadLaunch *launch, int32_t x,
                                  int32_t y, int32_t z, void *shared);

/// Runs every block of the grid on the work pool and returns when all are done. A grid with a zero
/// extent does nothing; a negative extent, or a block of 0 or more than 1024 threads, raises
/// ValueError.
FAIRLEAD_RUNTIME_API void FairleadCpuLaunch(FairleadCallContext *context, const char *kernel_name,
                                            FairleadCpuKernel kernel, void *const *params,
                                            const FairleadLaunch *launch);

/// Events that a thread of a CPU kernel waits for. The numbers are part of exported objects.
enum FairleadWait {
  kFairleadWaitNothing = 0,      ///< it has ended
  kFairleadWaitBarrier = 1,      ///< barrier `first`, for `second` threads (0: all of the block)
  kFairleadWaitWarp = 2,         ///< the threads of `mask`, as do the events below
  kFairleadWaitShuffleIndex = 3, ///< `value` of the lane given by `first`, within `second`
  kFairleadWaitShuffleUp = 4,
  kFairleadWaitShuffleDown = 5,
  kFairleadWaitShuffleButterfly = 6,
  kFairleadWaitVoteAny = 7, ///< `value` is 0 or 1
  kFairleadWaitVoteAll = 8,
  kFairleadWaitVoteUniform = 9,
  kFairleadWaitVoteBallot = 10,
  kFairleadWaitPhase = 11,  ///< the mbarrier at `first` and `second` (low and high bits of its
                            ///< address) ends the phase of parity `value`
  kFairleadWaitPoll = 12,   ///< a turn of the others; `result`: whether that phase has ended. With
                            ///< a null mbarrier the thread waits until others write to memory.
  kFairleadWaitArrive = 13, ///< nothing: arrives at barrier `first` for `second` threads
  kFairleadWaitClusterArrive = 14, ///< nothing: arrives at the cluster's barrier
  kFairleadWaitCluster = 15,       ///< the cluster's barrier, where the thread has arrived
  kFairleadWaitWarpgroup = 16,     ///< the threads of the warpgroup
};

/// One thread of a block of a CPU kernel. It suspends itself and names the event it waits for; the
/// runtime stores `result` and resumes it.
typedef struct FairleadCpuThread {
  int32_t wait;   ///< FairleadWait
  uint32_t mask;  ///< lanes of the warp that take part
  int32_t value;  ///< the value that this thread passes to the others
  int32_t first;  ///< meaning by `wait`
  int32_t second; ///< meaning by `wait`
  int32_t result; ///< the value that it receives
  void *block;    ///< the runtime's
  const char *at; ///< "program.py:12", the line at which it waits; NULL: unknown
} FairleadCpuThread;

/// A kernel compiled for the CPU whose threads wait for each other: starts thread `(tx, ty, tz)` of
/// block `(x, y, z)` and returns when it first waits or ends. Returns the frame, a pointer at a
/// function that goes on with it, `void (*)(void *frame)`.
typedef void *(*FairleadCpuThreadKernel)(void *const *params, const FairleadLaunch *launch,
                                         int32_t x, int32_t y, int32_t z, int32_t tx, int32_t ty,
                                         int32_t tz, void *shared, FairleadCpuThread *thread);

/// Runs all threads of a block, for a FairleadCpuKernel. A deadlock among the threads ends the
/// block, and FairleadCpuLaunch raises RuntimeError, which names each waiting thread and its event.
/// The suffix is the version of FairleadCpuThread. When its members change, the function gets
/// another name, so that older runtime libraries refuse code that writes members they do not have.
FAIRLEAD_RUNTIME_API void FairleadCpuRunThreads_2(void *const *params, const FairleadLaunch *launch,
                                                  int32_t x, int32_t y, int32_t z, void *shared,
                                                  FairleadCpuThreadKernel kernel);

/// Memory for the frame of a thread that is being started, until its block ends.
FAIRLEAD_RUNTIME_API void *FairleadCpuFrame(FairleadCpuThread *thread, uint64_t bytes);

/// A thread of block `(x, y, z)` found an assertion wrong: ends the launch, and FairleadCpuLaunch
/// raises AssertionError with the message. Does not return. Only for launches with
/// kFairleadLaunchAssertions.
FAIRLEAD_RUNTIME_API void FairleadCpuAssert(const char *message, int32_t x, int32_t y, int32_t z)
    __attribute__((noreturn));

/// A tensor parameter, for messages. After it come `rank` extents and `rank` strides, each an
/// int64_t that counts elements.
typedef struct FairleadTensorTable {
  const char *text; ///< its name, a character 31, and the name of its elements' type
  int64_t first;    ///< bytes from the first element to the begin of its memory, 0 or less
  int32_t bits;     ///< of an element
  int32_t rank;
} FairleadTensorTable;

/// The file of a site whose line is a number in its program's table of places. The table is a
/// string; each place is a file, a character 31, a line and a character 30.
#define FAIRLEAD_NUMBERED_PLACE "<places>"

/// An access in memory that does not contain it.
typedef struct FairleadWrongAccess {
  const void *site;                 ///< as in fairlead/CheckCpu.h
  const FairleadTensorTable *table; ///< null if the memory is not of a tensor parameter
  int64_t offset;                   ///< bytes from the begin of the memory
  int64_t bytes;                    ///< of the access
  int64_t size;                     ///< of the memory
  const char *places;               ///< the program's table of places, or null
} FairleadWrongAccess;

/// Thread `thread` of block `(x, y, z)` is about to access memory out of bounds: ends the launch,
/// and FairleadCpuLaunch raises CheckError. Does not return. Only for launches with
/// kFairleadLaunchAssertions.
FAIRLEAD_RUNTIME_API void FairleadCpuOutOfBounds(const FairleadWrongAccess *access, int32_t thread,
                                                 const FairleadLaunch *launch, int32_t x, int32_t y,
                                                 int32_t z) __attribute__((noreturn));
/// A kernel is about to load from a tensor beyond it: warns on standard error, once for each site.
/// The kernel then takes zeros.
FAIRLEAD_RUNTIME_API void FairleadCpuWarnOfRead(const FairleadWrongAccess *access);
/// The host function is about to access memory out of bounds: makes the call fail with CheckError.
FAIRLEAD_RUNTIME_API void FairleadRaiseOutOfBounds(FairleadCallContext *context,
                                                   const FairleadWrongAccess *access);

/// The highest level of x86-64 that this processor supports in full: 1 for x86-64, up to 4 for
/// x86-64-v4; 0 for other machines. `$FAIRLEAD_CPU_LEVEL` can lower it. Computed once.
FAIRLEAD_RUNTIME_API int32_t FairleadCpuLevel(void);

/// C's printf to standard output, at once, to keep the order with Python's output.
FAIRLEAD_RUNTIME_API void FairleadPrintf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/// One device image of a module: SASS for one architecture, or PTX.
typedef struct FairleadCudaImage {
  const char *arch; ///< "sm_90a" for a CUBIN, "compute_90" or "compute_90a" for PTX
  const void *data; ///< a CUBIN (ELF), or NUL-terminated PTX text
  uint64_t size;    ///< bytes, without the NUL of PTX
} FairleadCudaImage;

/// The device side of one artifact. The object code holds it as a writable global.
typedef struct FairleadCudaModule {
  void *state; ///< NULL until loaded; then owned by the runtime
  const char *name;
  int32_t num_images;
  int32_t num_kernels;
  const FairleadCudaImage *images;
  const char *const *kernels; ///< kernel symbols, in the order that launches number them
} FairleadCudaModule;

/// Loads the module for `device_id`, eagerly (compile and load call it, so that the first launch
/// may be inside a graph capture). Thread-safe; later calls are a load and a compare. Returns 0, or
/// -1 with the error raised: no driver, no device, or no suitable image (the error lists the
/// images).
FAIRLEAD_RUNTIME_API int32_t FairleadCudaModuleLoad(FairleadCudaModule *module, int32_t device_id);

/// Reads an attribute of a kernel that is loaded on `device_id`, by the driver's number of it
/// (CUfunction_attribute: 0 threads of a block, 1 shared bytes, 3 local bytes, 4 registers). Loads
/// the module if necessary. Thread-safe. Returns 0, or -1 with the error raised.
FAIRLEAD_RUNTIME_API int32_t FairleadCudaKernelAttribute(FairleadCudaModule *module,
                                                         int32_t device_id, int32_t kernel,
                                                         int32_t attribute, int32_t *value);

/// Properties of a kernel that are known before any launch.
typedef struct FairleadCudaKernelNeeds {
  int32_t shared_bytes;       ///< dynamic shared memory of its launches; 0: only known at a launch
  int32_t num_params;         ///< parameters that launches pass
  const int32_t *param_sizes; ///< bytes of each
} FairleadCudaKernelNeeds;

/// Loads the module for `device_id`, compares the kernel's parameters as the driver (CUDA 12.4)
/// reports them with the operands of its launches, and allows the kernel its shared memory.
/// Returns 0, or -1 with the error raised. Thread-safe.
FAIRLEAD_RUNTIME_API int32_t FairleadCudaKernelPrepare(FairleadCudaModule *module,
                                                       int32_t device_id, int32_t kernel,
                                                       const FairleadCudaKernelNeeds *needs);

/// Launches kernel number `kernel` of `module` on the call's device. `params[i]` points at the
/// value of parameter i. A failure raises RuntimeError `CUDA Error: <name>` naming kernel, grid,
/// block and shared memory. A grid with a zero extent does nothing.
FAIRLEAD_RUNTIME_API void FairleadCudaLaunch(FairleadCallContext *context,
                                             FairleadCudaModule *module, int32_t kernel,
                                             void *const *params, const FairleadLaunch *launch);

/// A check that can fail: data for generated code's cold reporter. `message` is final text with
/// places: `{expected}` and `{got}` print the two integers of the call; `{got:type}` prints the
/// type key of a TVMFFIAny type index ("Tensor" for both tensor forms); `{got:dtype}` a DLDataType
/// in the low 4 bytes; `{got:device}` a DLDevice (type in the low, id in the high half) as
/// `cuda:0`; `{@12}` a text that many messages share, which begins 12 bytes before this one.
typedef struct FairleadFailure {
  const char *kind;
  const char *message;
} FairleadFailure;

/// Stores the error of `failure` in the thread's error slot. `context` may be NULL. If it is not,
/// its status becomes -1, and if it has failed already, the first error stays.
FAIRLEAD_RUNTIME_API void FairleadRaise(FairleadCallContext *context,
                                        const FairleadFailure *failure, int64_t expected,
                                        int64_t got);

/// Checks a file before the dynamic linker opens it, because the linker crashes on a truncated
/// file. Returns 0 if `path` is a complete ELF shared library of this machine's architecture.
/// Otherwise returns -1 and raises a RuntimeError that names the path, the expected file and the
/// actual one. Any file content is safe. The static library does not have this function.
FAIRLEAD_RUNTIME_API int32_t FairleadCheckSharedLibrary(const char *path);

#ifdef __cplusplus
}
#endif
