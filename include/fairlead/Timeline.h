/// Timelines of kernels: events that warps record while they run. Kernels compiled with
/// `--timeline` record, if the process collects. The numbers are part of exported objects.
#pragma once

#include "fairlead/Runtime.h"

/// The variable of a CUDA module that points to the FairleadTimelineBuffer of its device, or is
/// null if nobody collects.
#define FAIRLEAD_TIMELINE_SYMBOL "fairlead_timeline"

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of an event, in the low 3 bits of its `what`. Ranges of Begin and End are nested.
enum FairleadTimelineKind {
  kFairleadTimelineBegin = 0,
  kFairleadTimelineEnd = 1, ///< of the range that began last
  kFairleadTimelineMark = 2,
  kFairleadTimelineStart = 3, ///< of a range that may overlap others
  kFairleadTimelineStop = 4,  ///< of the range of this name that started last
};
/// The type of an event's payload, in bits 3 and 4 of its `what`.
enum FairleadTimelinePayload {
  kFairleadTimelineNone = 0,
  kFairleadTimelineInteger = 1,
  kFairleadTimelineFloat = 2, ///< 64 bits
};
enum { kFairleadTimelineWhatBits = 5 };

typedef struct FairleadTimelineEvent {
  uint64_t time; ///< nanoseconds of the device's global timer
  uint64_t what; ///< kind and type of payload; above, the name's number: FairleadTimelineName
  uint64_t payload;
} FairleadTimelineEvent;

/// The part of the buffer that one warp of a launch writes. Its events follow, up to one whose
/// `time` is 0: the memory is zeroed before launches.
typedef struct FairleadTimelinePart {
  uint64_t grid;  ///< %gridid of the launch
  uint64_t block; ///< number in the grid, x fastest
  uint32_t warp;  ///< number in the block
  uint32_t processor;
  uint32_t lost; ///< number of events that had no room
  uint32_t reserved;
} FairleadTimelinePart;

typedef struct FairleadTimelineBuffer {
  uint64_t taken; ///< number of parts that warps asked for
  uint32_t parts; ///< number of parts in the buffer, which follow
  uint32_t room;  ///< number of events in a part
} FairleadTimelineBuffer;

/// Records an event of a thread on the CPU. `name`: 8 bytes of 0 (room for the runtime), then the
/// kernel's name, a character 31, and the event's name. `block`: number in the grid, x fastest.
/// A warp's events are those of the first of its threads to reach each. Only launches that begin
/// while the process collects record.
FAIRLEAD_RUNTIME_API void FairleadTimelineNote(void *name, int32_t what, int64_t payload,
                                               int32_t thread, int64_t block);

/// Tells the text of a name that kernels on GPUs record by its number. `text` is the kernel's
/// name, a character 31, and the event's name.
FAIRLEAD_RUNTIME_API void FairleadTimelineName(int64_t number, const char *text);

/// Begins to collect what kernels record, or ends (`room` 0). `room`: the most events of a warp of
/// a launch. `bytes`: memory for events, on each GPU and on the host. Returns 0. Call
/// FairleadTimelineTake afterwards: it returns earlier events, and GPUs learn the new room.
FAIRLEAD_RUNTIME_API int32_t FairleadTimelineCollect(int32_t room, int64_t bytes);

/// Returns the records since the last call, after all work of the GPUs has ended. Records end with
/// a character 30, their fields are separated by a character 31: "event", device, launch, kernel,
/// block, warp, processor, what, payload, nanoseconds, name; or "lost", device, and a text about
/// the loss. Valid until the next call.
FAIRLEAD_RUNTIME_API const char *FairleadTimelineTake(void);

#ifdef __cplusplus
}
#endif
