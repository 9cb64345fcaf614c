/// The CUDA devices of this machine.
#pragma once

#include <string>

#include "fairlead/Export.h"

namespace fairlead::cuda {

/// Devices that the driver shows; 0 without a driver or when it fails. Opens the driver at the
/// first call. Thread-safe.
FAIRLEAD_API int deviceCount();

/// The name to compile for on device `id`, the most specific that this compiler knows for it:
/// "sm_90a" for capability 9.0, "sm_86" for 8.6; "" if the device does not exist. Creates no
/// context.
FAIRLEAD_API std::string deviceArch(int id);

} // namespace fairlead::cuda
