#include "runtime/cuda/DeviceContext.h"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

#include "runtime/CurrentDevice.h"
#include "runtime/Raise.h"
#include "runtime/cuda/Driver.h"

namespace fairlead::cuda {
namespace {

using namespace driver;

struct Slot {
  std::atomic<bool> ready{false};
  DeviceContext device;
};

struct Slots {
  std::mutex mutex; ///< held while a slot is filled
  std::unique_ptr<Slot[]> entries{new Slot[Driver::get().numDevices]};
};

Slots &slots() {
  static Slots &all = *new Slots; // leaked: launches may come from static destructors
  return all;
}

CUresult open(const Table &table, int id, DeviceContext &device) {
  CUresult status = table.cuDeviceGet(&device.handle, id);
  auto attribute = [&](int &value, CUdevice_attribute which) {
    if (status == CUDA_SUCCESS)
      status = table.cuDeviceGetAttribute(&value, which, device.handle);
  };
  attribute(device.arch.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  attribute(device.arch.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  attribute(device.maxSharedBytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  attribute(device.sharedBytesOfProcessor,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  if (status == CUDA_SUCCESS)
    status = table.cuDevicePrimaryCtxRetain(&device.primary, device.handle);
  device.id = id;
  return status;
}

} // namespace

const DeviceContext *DeviceContext::get(FairleadCallContext *call, int id) {
  const Driver &driver = Driver::get();
  if (!driver.usable) {
    runtime::raise(call, Diagnostic::CudaDriver, {{"reason", driver.reason}});
    return nullptr;
  }
  if (id < 0 || id >= driver.numDevices) {
    runtime::raise(call, Diagnostic::CudaDeviceId,
                   {{"expected", std::to_string(driver.numDevices)}, {"got", std::to_string(id)}});
    return nullptr;
  }
  Slot &slot = slots().entries[id];
  if (slot.ready.load(std::memory_order_acquire))
    return &slot.device;
  std::lock_guard lock(slots().mutex);
  if (slot.ready.load(std::memory_order_relaxed))
    return &slot.device;
  CUresult status = open(driver.table, id, slot.device);
  if (status != CUDA_SUCCESS) {
    runtime::raise(call, Diagnostic::CudaCall,
                   {{"error", describeError(driver.table, status)},
                    {"action", "opening cuda:" + std::to_string(id)}});
    return nullptr;
  }
  slot.ready.store(true, std::memory_order_release);
  return &slot.device;
}

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
