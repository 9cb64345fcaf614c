#include "runtime/cuda/CudaLaunch.h"

#include <algorithm>
#include <exception>

#include "runtime/Raise.h"

namespace fairlead::cuda {

using namespace driver;

CUresult allowShared(const Table &table, LoadedKernel &kernel, const DeviceContext &device,
                     int bytes) {
  int limit = kernel.sharedLimit.load(std::memory_order_acquire);
  if (bytes <= limit)
    return CUDA_SUCCESS;
  constexpr auto kAttribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  CUresult error = CUDA_SUCCESS;
  if (limit < 0) {
    error = table.cuKernelGetAttribute(&limit, kAttribute, kernel.handle, device.handle);
    if (error != CUDA_SUCCESS)
      return error;
  }
  // Threads that raise the limit at once must not lower it again.
  static std::mutex &mutex = *new std::mutex;
  std::lock_guard lock(mutex);
  limit = std::max(limit, kernel.sharedLimit.load(std::memory_order_relaxed));
  if (bytes > limit) {
    error = table.cuKernelSetAttribute(kAttribute, bytes, kernel.handle, device.handle);
    if (error != CUDA_SUCCESS)
      return error;
    limit = bytes;
  }
  kernel.sharedLimit.store(limit, std::memory_order_release);
  return CUDA_SUCCESS;
}

CUresult allowLargeClusters(const Table &table, LoadedKernel &kernel, const DeviceContext &device) {
  if (kernel.largeClusters.load(std::memory_order_acquire))
    return CUDA_SUCCESS;
  CUresult error = table.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                              1, kernel.handle, device.handle);
  if (error == CUDA_SUCCESS)
    kernel.largeClusters.store(true, std::memory_order_release);
  return error;
}

namespace {

/// "3 parameters of 8, 8, 4 bytes"
std::string describeSizes(const std::vector<size_t> &sizes) {
  std::string text = std::to_string(sizes.size()) + " parameters";
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : " of ") + std::to_string(sizes[i]);
  return sizes.empty() ? text : text + " bytes";
}

/// Drivers before CUDA 12.4 cannot tell.
bool checkParams(const LoadedKernel &kernel, const DeviceContext &device, const char *name,
                 const FairleadCudaKernelNeeds &needs) {
  const Table &table = Driver::get().table;
  if (!table.cuKernelGetParamInfo)
    return true;
  std::vector<size_t> expected, passed(needs.param_sizes, needs.param_sizes + needs.num_params);
  for (size_t offset, size;
       table.cuKernelGetParamInfo(kernel.handle, expected.size(), &offset, &size) == CUDA_SUCCESS;)
    expected.push_back(size);
  if (expected == passed)
    return true;
  runtime::raise(nullptr, Diagnostic::KernelParamsLoaded,
                 {{"kernel", name},
                  {"device", std::to_string(device.id)},
                  {"expected", describeSizes(expected)},
                  {"got", describeSizes(passed)}});
  return false;
}

bool grantShared(LoadedKernel &kernel, const DeviceContext &device, const char *name, int bytes) {
  const Table &table = Driver::get().table;
  CUresult error = allowShared(table, kernel, device, bytes);
  if (error == CUDA_SUCCESS)
    return true;
  runtime::raise(nullptr, Diagnostic::CudaCall,
                 {{"error", describeError(table, error)},
                  {"action", "giving kernel `" + std::string(name) + "` " + std::to_string(bytes) +
                                 " bytes of dynamic shared memory; a block of cuda:" +
                                 std::to_string(device.id) + " has at most " +
                                 std::to_string(device.maxSharedBytes)}});
  return false;
}

} // namespace
} // namespace fairlead::cuda

int32_t FairleadCudaKernelPrepare(FairleadCudaModule *module, int32_t device_id, int32_t kernel,
                                  const FairleadCudaKernelNeeds *needs) {
  using namespace fairlead::cuda;
  DeviceKernels *loaded = LoadedModule::get(nullptr, module, device_id);
  if (!loaded)
    return -1;
  try {
    const char *name = module->kernels[kernel];
    const DeviceContext &device = *loaded->device;
    DeviceGuard guard(Driver::get().table, device);
    bool ready = checkParams(loaded->kernels[kernel], device, name, *needs) &&
                 (needs->shared_bytes <= 0 ||
                  grantShared(loaded->kernels[kernel], device, name, needs->shared_bytes));
    return ready ? 0 : -1;
  } catch (const std::exception &failure) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
    return -1;
  }
}
