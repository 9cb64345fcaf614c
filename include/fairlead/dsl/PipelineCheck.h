/// Mistakes of pipelines that show when a program is compiled (`--check schedule`).
#ifndef FAIRLEAD_DSL_PIPELINECHECK_H_
#define FAIRLEAD_DSL_PIPELINECHECK_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// A place in the program that a finding names.
struct PipelinePlace {
  std::string what; ///< "waits", "arrives", "copies", "reads", "init", "expects", "comes"
  std::string file; ///< "" if it is not known
  int line = 0;
  int64_t thread = 0; ///< the first one of its warp
  int block = 0;      ///< in the cluster
};

/// A mistake of a pipeline.
struct PipelineFinding {
  std::string message; ///< with {barrier} in the place of the barrier's name
  std::string hint;
  std::string kernel;
  std::string launch;  ///< the numbers for which it was found: "a.shape[1] = 256"
  PipelinePlace begun; ///< where the barrier is begun; file "" if the finding is of no mbarrier
  int stage = 0, stages = 0; ///< its number among those that this line begins
  std::vector<PipelinePlace> places;
};

/// What is known of a program's pipelines.
struct PipelineReport {
  std::vector<PipelineFinding> findings;
  /// Why kernels, or launches of them, could not be followed to their end: empty if all were.
  std::vector<std::string> undecided;
  int launches = 0;  ///< that were followed to their end
  int64_t steps = 0; ///< operations computed
};

/// Follows the launches of a traced program, for several sizes, without compiling it: one order of
/// the warps of a cluster, in which clocks tell what another order could change. Kernels without
/// mbarriers are left out. A kernel without a finding is not proven right, and one that needs
/// relations between its arguments can get a finding for a launch that nobody makes. Call it before
/// the program is compiled.
FAIRLEAD_API PipelineReport checkPipelines(Program &program);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_PIPELINECHECK_H_
