#include "fairlead/cuda/Device.h"

#include "runtime/cuda/Arch.h"
#include "runtime/cuda/Driver.h"

namespace fairlead::cuda {

int deviceCount() { return Driver::get().numDevices; }

std::string deviceArch(int id) {
  using namespace driver;
  const Driver &driver = Driver::get();
  if (id < 0 || id >= driver.numDevices)
    return "";
  CUdevice handle;
  Arch arch;
  auto read = [&](CUdevice_attribute attribute, int &value) {
    return driver.table.cuDeviceGetAttribute(&value, attribute, handle) == CUDA_SUCCESS;
  };
  if (driver.table.cuDeviceGet(&handle, id) != CUDA_SUCCESS ||
      !read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, arch.major) ||
      !read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, arch.minor))
    return "";
  return targetName(arch);
}

} // namespace fairlead::cuda
