/// The CUDA devices of this machine.
#ifndef FAIRLEAD_CUDA_DEVICE_H_
#define FAIRLEAD_CUDA_DEVICE_H_

#include <string>

#include "fairlead/Export.h"

namespace fairlead::cuda {

/// Devices that the driver shows; 0 without a driver or when it fails. Opens the driver at the
/// first call. Thread-safe.
FAIRLEAD_API int deviceCount();

/// What to compile for on device `id`: "sm_90a" for capability 9.0, "sm_100a" for 10.0 (all of 10.x
/// with the suffix), else "sm_86" and the like; "" when there is no such device. Creates no
/// context.
FAIRLEAD_API std::string deviceArch(int id);

} // namespace fairlead::cuda
#endif // FAIRLEAD_CUDA_DEVICE_H_
