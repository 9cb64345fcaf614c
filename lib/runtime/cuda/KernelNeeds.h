/// Resources that a kernel is granted before its launch.
#ifndef FAIRLEAD_LIB_RUNTIME_CUDA_KERNELNEEDS_H_
#define FAIRLEAD_LIB_RUNTIME_CUDA_KERNELNEEDS_H_

#include "runtime/cuda/LoadedModule.h"

namespace fairlead::cuda {

/// Lets the kernel use `bytes` of dynamic shared memory on its device; above 48 KiB the driver
/// requires this. Costs a load and a compare if the kernel has them already. Thread-safe.
driver::CUresult allowShared(const driver::Table &table, LoadedKernel &kernel,
                             const DeviceContext &device, int bytes);

/// Lets the kernel use clusters of more than 8 blocks, if the device can. Thread-safe.
driver::CUresult allowLargeClusters(const driver::Table &table, LoadedKernel &kernel,
                                    const DeviceContext &device);

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_RUNTIME_CUDA_KERNELNEEDS_H_
