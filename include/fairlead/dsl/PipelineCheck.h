/// Mistakes of pipelines that show when a program is compiled (`--check schedule`).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// A place in the program that a finding names.
struct PipelinePlace {
  /// "init", "waits", "arrives", "expects", "copies", "reads", "comes" (to a barrier), "accesses"
  /// (another block), "ends ..." (a phase).
  std::string what;
  std::string file; ///< "" if it is not known
  int line = 0;
  int64_t thread = 0; ///< the first one of its warp
  int block = 0;      ///< in the cluster
};

/// An mbarrier: the line that begins it, and its number among the mbarriers of this line.
struct PipelineBarrier {
  std::string file; ///< "" if it is not known
  int line = 0;
  int stage = 0, stages = 0;
};

/// A mistake of a pipeline.
struct PipelineFinding {
  std::string message; ///< with {0}, {1}, ... in the place of the names of `barriers`
  std::string hint;
  std::string kernel;
  std::string launch; ///< the numbers for which it was found: "a.shape[1] = 256"
  std::vector<PipelineBarrier> barriers;
  std::vector<PipelinePlace> places;
};

/// The findings about a program's pipelines.
struct PipelineReport {
  std::vector<PipelineFinding> findings;
  /// Why kernels, or launches of them, could not be followed to their end: empty if all were.
  std::vector<std::string> undecided;
  int launches = 0;  ///< that were followed to their end
  int64_t steps = 0; ///< operations computed
};

/// Follows the launches of a traced program, for several sizes, without compiling it: one order of
/// the warps of the first cluster and of the last one. Clocks find the effects of other orders
/// on it. Kernels whose only barrier is sync_threads are left out. A kernel without a
/// finding is not proven right, and one that needs relations between its arguments can get a
/// finding for a launch that nobody makes. Call it before the program is compiled.
FAIRLEAD_API PipelineReport checkPipelines(Program &program);

/// True if setChecks was given "schedule".
FAIRLEAD_API bool followsPipelines(Program &program);

/// Calls checkPipelines if followsPipelines, and writes undecided kernels to the standard error
/// stream. Throws fairlead::Error (CheckError: CheckFailed) for mistakes. compile() calls it.
FAIRLEAD_API void raisePipelineMistakes(Program &program);

} // namespace fairlead::dsl
