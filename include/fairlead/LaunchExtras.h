/// Launch options that few launches use, in addition to FairleadLaunch (Runtime.h). CUDA only.
#pragma once

#include "fairlead/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// In FairleadLaunch::flags: the launch is the first member of a FairleadLaunchExtras. The number
/// and the layout are part of exported objects.
enum { kFairleadLaunchHasExtras = 8 };

typedef struct FairleadLaunchExtras {
  FairleadLaunch launch;
  /// A better cluster than `launch.cluster`, for devices that
  /// can use it; zeros: none.
  int32_t preferred_cluster[3];
  /// Percent of the L1 cache for shared memory; -1: the device's choice; -n for more: as much as n
  /// blocks on a multiprocessor take.
  int32_t carveout;
  void *completion_event;     ///< CUevent, recorded when all blocks have started; NULL: none
  void *programmatic_event;   ///< CUevent, recorded when all blocks have triggered it; NULL: none
  int32_t completion_flags;   ///< of cuEventRecordWithFlags
  int32_t programmatic_flags; ///< of cuEventRecordWithFlags
  int32_t trigger_at_start;   ///< not 0: each block triggers the programmatic event as it starts
  int32_t reserved;           ///< 0
} FairleadLaunchExtras;

#ifdef __cplusplus
}
#endif
