/// Coverage of traced programs on the CPU: the reports of generated code, and their summary.
#pragma once

#include "fairlead/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Steps of a thread through a function. The numbers are part of exported objects.
enum FairleadCoverEvent {
  kFairleadCoverEnter = 0,   ///< the thread enters the function, whose first line is `line`
  kFairleadCoverLine = 1,    ///< it executes a statement
  kFairleadCoverIterate = 2, ///< it is at the head of the loop in `line`, before an iteration
  kFairleadCoverLoopEnd = 3, ///< it leaves the loop in `line`
  kFairleadCoverBreak = 4,   ///< it executes a `break`
  kFairleadCoverReturn = 5,  ///< it executes a `return`
  kFairleadCoverEnd = 6,     ///< it is at the end of the function
};

/// Reports a step. `frame` stands for one call of the function in the program: 8 bytes of 0 (room
/// for the runtime), then the name of the function's file. Threads are numbered in their block.
FAIRLEAD_RUNTIME_API void FairleadCover(void *frame, int32_t thread, int32_t event, int32_t line);

/// Returns the pairs of lines that threads of this process have executed one after the other, as
/// text: for each pair the file, a character 31, the two numbers with a character 31 between them,
/// and a character 30. The negative first line of a function stands for its entry as the first of
/// a pair, and for its exit as the second one. Valid until the calling thread's next call.
FAIRLEAD_RUNTIME_API const char *FairleadCoverArcs(void);

/// Returns how many threads have executed each line, as text of the same form: the file, the line
/// and the number. A thread counts once for each time that it enters the line's function.
FAIRLEAD_RUNTIME_API const char *FairleadCoverThreads(void);

#ifdef __cplusplus
}
#endif
