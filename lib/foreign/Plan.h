/// Turns the texts of a launch into the plan of its launch stub.
#ifndef FAIRLEAD_LIB_FOREIGN_PLAN_H_
#define FAIRLEAD_LIB_FOREIGN_PLAN_H_

#include "entry/LaunchStub.h"
#include "fairlead/Kernel.h"

namespace fairlead::kernels {

/// Throws fairlead::Error (LaunchText).
entry::LaunchPlan makePlan(const Signature &signature, const KernelLaunch &launch);

} // namespace fairlead::kernels
#endif // FAIRLEAD_LIB_FOREIGN_PLAN_H_
