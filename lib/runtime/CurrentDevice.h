/// The default GPU of a C program.
#ifndef FAIRLEAD_LIB_RUNTIME_CURRENTDEVICE_H_
#define FAIRLEAD_LIB_RUNTIME_CURRENTDEVICE_H_

#include <cstdint>

namespace fairlead::cuda {

/// Returns the ordinal of the device whose context is current on this thread (cudaSetDevice and
/// cuCtxSetCurrent set it); 0 without a context or a driver. Never throws.
int32_t currentDevice() noexcept;

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_RUNTIME_CURRENTDEVICE_H_
