/// What a kernel is granted before it is launched.
#ifndef FAIRLEAD_LIB_CUDA_KERNELNEEDS_H
#define FAIRLEAD_LIB_CUDA_KERNELNEEDS_H

#include "cuda/LoadedModule.h"

namespace fairlead::cuda {

/// Lets the kernel have `bytes` of dynamic shared memory on its device, which above 48 KiB must be
/// asked for. A load and a compare where it has them already. Thread-safe.
driver::CUresult allowShared(const driver::Table &table, LoadedKernel &kernel,
                             const DeviceContext &device, int bytes);

/// Lets the kernel have clusters of more than 8 blocks, where the device can. Thread-safe.
driver::CUresult allowLargeClusters(const driver::Table &table, LoadedKernel &kernel,
                                    const DeviceContext &device);

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_CUDA_KERNELNEEDS_H
