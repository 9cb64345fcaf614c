/// Which GPU a C program means when it names none.
#ifndef FAIRLEAD_LIB_RUNTIME_CURRENTDEVICE_H
#define FAIRLEAD_LIB_RUNTIME_CURRENTDEVICE_H

#include <cstdint>

namespace fairlead::cuda {

/// The ordinal of the device whose context is current on this thread, as cudaSetDevice and
/// cuCtxSetCurrent leave it; 0 where there is none, or no driver. Never throws.
int32_t currentDevice() noexcept;

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_RUNTIME_CURRENTDEVICE_H
