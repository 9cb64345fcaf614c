/// The default GPU of a C program.
#pragma once

#include <cstdint>

namespace fairlead::cuda {

/// Returns the ordinal of the device whose context is current on this thread (cudaSetDevice and
/// cuCtxSetCurrent set it); 0 without a context or a driver. Never throws.
int32_t currentDevice() noexcept;

} // namespace fairlead::cuda
