/// Messages that CUDA kernels compiled under `--check` leave for the host when they stop. The
/// numbers are part of exported objects.
///
/// Their module has a variable `fairlead_check_message`, a pointer to memory that the device and
/// the host see: a FairleadCheckMessage, or null if nobody reads it. The first thread that finds
/// something writes it and stops the kernel by a trap.
#pragma once

#include <stdint.h>

#define FAIRLEAD_CHECK_MESSAGE_SYMBOL "fairlead_check_message"

/// The kind of finding, and the meaning of its `numbers`.
enum FairleadCheckMessageKind {
  kFairleadCheckMessageIndex = 1,     ///< an index out of its mode: mode, index, extent
  kFairleadCheckMessageOutside = 2,   ///< an address out of memory: bytes accessed, the first one's
                                      ///< offset in the memory, bytes of the memory
  kFairleadCheckMessageAssertion = 3, ///< an assertion; `site` says its message after the kernel
};

typedef struct FairleadCheckMessage {
  uint32_t state; ///< 0: nothing was found; 1: all that follows is written
  uint32_t kind;  ///< FairleadCheckMessageKind
  int32_t thread[3];
  int32_t block[3];
  int64_t numbers[3];
  char site[968]; ///< fairlead/CheckCpu.h says what it holds, NUL-terminated
} FairleadCheckMessage;
