/// Explains why the driver refused a launch, if its numbers show the reason.
#ifndef FAIRLEAD_LIB_RUNTIME_CUDA_LAUNCHHINT_H_
#define FAIRLEAD_LIB_RUNTIME_CUDA_LAUNCHHINT_H_

#include <string>

#include "fairlead/Runtime.h"

namespace fairlead::cuda {

/// "; a block has 1 to 1024 threads, but this one has 4096", or "". `maxSharedBytes`: of a block on
/// the device; `capability`: 10 * major + minor of it.
std::string launchHint(const FairleadLaunch &launch, int maxSharedBytes, int capability);

/// Explains errors (CUresult) that a launch only passes on because earlier work on the device
/// failed. Returns "" for other errors.
std::string earlierWorkHint(int error);

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_RUNTIME_CUDA_LAUNCHHINT_H_
