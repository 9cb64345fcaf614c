/// Launches of kernels that were compiled under `--check`. A
/// kernel that stops leaves a message.
#ifndef FAIRLEAD_LIB_RUNTIME_CUDA_CHECKEDLAUNCH_H_
#define FAIRLEAD_LIB_RUNTIME_CUDA_CHECKEDLAUNCH_H_

#include "runtime/cuda/LoadedModule.h"

namespace fairlead::cuda {

/// Gives the module the address for messages, if it does not have it. Its context is current.
driver::CUresult beginChecked(const driver::Table &table, DeviceKernels &loaded);

/// Waits for the kernel, unless the stream is being captured. The next checked launch reports the
/// findings of a graph.
driver::CUresult endChecked(const driver::Table &table, driver::CUstream stream);

/// Raises the finding of a kernel, once. Returns false if no finding is pending.
bool raiseFinding(FairleadCallContext *context);

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_RUNTIME_CUDA_CHECKEDLAUNCH_H_
