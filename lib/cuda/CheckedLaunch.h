/// Launches of kernels that were compiled under `--check`: the message that one leaves when it
/// stops.
#ifndef FAIRLEAD_LIB_CUDA_CHECKEDLAUNCH_H
#define FAIRLEAD_LIB_CUDA_CHECKEDLAUNCH_H

#include "cuda/LoadedModule.h"

namespace fairlead::cuda {

/// Tells the module where messages go, if it does not know. Its context is current.
driver::CUresult beginChecked(const driver::Table &table, DeviceKernels &loaded);

/// Waits for the kernel, except where the stream is being captured: what a graph finds is told by
/// the next checked launch.
driver::CUresult endChecked(const driver::Table &table, driver::CUstream stream);

/// Raises what a kernel has found, once; false where there is nothing.
bool raiseFinding(FairleadCallContext *context);

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_CUDA_CHECKEDLAUNCH_H
