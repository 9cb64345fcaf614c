#include "runtime/CurrentDevice.h"

#include <exception>

#include "runtime/cuda/Driver.h"

namespace fairlead::cuda {

using namespace driver;

int32_t currentDevice() noexcept {
  try {
    const Driver &driver = Driver::get();
    CUcontext context = nullptr;
    CUdevice current = 0, device = 0;
    if (!driver.usable || !driver.table.cuCtxGetDevice ||
        driver.table.cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context ||
        driver.table.cuCtxGetDevice(&current) != CUDA_SUCCESS)
      return 0;
    for (int id = 0; id < driver.numDevices; ++id)
      if (driver.table.cuDeviceGet(&device, id) == CUDA_SUCCESS && device == current)
        return id;
  } catch (const std::exception &) {
    // Memory that Driver::get could not have.
  }
  return 0;
}

} // namespace fairlead::cuda
