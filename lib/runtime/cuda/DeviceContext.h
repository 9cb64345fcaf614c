/// One CUDA device as launches see it.
#pragma once

#include "fairlead/Runtime.h"
#include "runtime/cuda/Arch.h"
#include "runtime/cuda/Driver.h"

namespace fairlead::cuda {

struct DeviceContext {
  int id = -1; ///< ordinal
  driver::CUdevice handle = -1;
  driver::CUcontext primary = nullptr; ///< retained, never released
  Arch arch;
  int maxSharedBytes = 0; ///< of a block, opted in
  int sharedBytesOfProcessor = 0;

  /// The device `id`, its primary context retained at the first call for it. NULL with an error
  /// raised: no driver, no such device, or the driver fails. Thread-safe.
  static const DeviceContext *get(FairleadCallContext *call, int id);
};

/// Makes the device's primary context current on this thread for the scope's lifetime, when it is
/// not already.
class DeviceGuard {
public:
  DeviceGuard(const driver::Table &table, const DeviceContext &device) : table(table) {
    status = table.cuCtxGetCurrent(&previous);
    if (status == driver::CUDA_SUCCESS && previous != device.primary) {
      status = table.cuCtxSetCurrent(device.primary);
      changed = status == driver::CUDA_SUCCESS;
    }
  }
  ~DeviceGuard() {
    if (changed)
      table.cuCtxSetCurrent(previous);
  }
  DeviceGuard(const DeviceGuard &) = delete;
  DeviceGuard &operator=(const DeviceGuard &) = delete;

  driver::CUresult error() const { return status; }

private:
  const driver::Table &table;
  driver::CUcontext previous = nullptr;
  driver::CUresult status;
  bool changed = false;
};

} // namespace fairlead::cuda
