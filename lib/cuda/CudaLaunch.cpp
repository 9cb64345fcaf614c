/// FairleadCudaLaunch: one kernel of a loaded module on the call's device and stream.
#include <algorithm>
#include <exception>

#include "cuda/LaunchHint.h"
#include "cuda/LoadedModule.h"
#include "fairlead/Runtime.h"
#include "runtime/LaunchShape.h"
#include "runtime/Raise.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead::cuda {
namespace {

using namespace driver;

/// Lets the kernel have `bytes` of dynamic shared memory on its device, which above 48 KiB must be
/// asked for.
CUresult allowShared(const Table &table, LoadedKernel &kernel, const DeviceContext &device,
                     int bytes) {
  int limit = kernel.sharedLimit.load(std::memory_order_relaxed);
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
  kernel.sharedLimit.store(limit, std::memory_order_relaxed);
  return CUDA_SUCCESS;
}

CUresult launchOn(const Table &table, LoadedKernel &kernel, const DeviceContext &device,
                  void *const *params, const FairleadLaunch &launch) {
  DeviceGuard guard(table, device);
  if (guard.error() != CUDA_SUCCESS)
    return guard.error();
  if (launch.shared_bytes > 0)
    if (CUresult error = allowShared(table, kernel, device, launch.shared_bytes))
      return error;
  void *stream = launch.has_stream ? launch.stream : TVMFFIEnvGetStream(kDLCUDA, device.id);
  CUlaunchAttribute attribute;
  bool clustered = runtime::hasCluster(launch);
  if (clustered) {
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {unsigned(launch.cluster[0]), unsigned(launch.cluster[1]),
                                  unsigned(launch.cluster[2])};
  }
  CUlaunchConfig config = {unsigned(launch.grid[0]),         unsigned(launch.grid[1]),
                           unsigned(launch.grid[2]),         unsigned(launch.block[0]),
                           unsigned(launch.block[1]),        unsigned(launch.block[2]),
                           unsigned(launch.shared_bytes),    static_cast<CUstream>(stream),
                           clustered ? &attribute : nullptr, clustered ? 1u : 0u};
  return table.cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(kernel.handle),
                                const_cast<void **>(params), nullptr);
}

void raiseLaunch(FairleadCallContext *context, CUresult error, const char *kernelName,
                 const DeviceContext &device, const FairleadLaunch &launch) {
  using runtime::extents;
  try {
    std::string cluster;
    if (runtime::hasCluster(launch))
      cluster = ", cluster=" + extents(launch.cluster);
    runtime::raise(context, Diagnostic::CudaLaunch,
                   {{"error", describeError(Driver::get().table, error)},
                    {"kernel", kernelName},
                    {"device", std::to_string(device.id)},
                    {"grid", extents(launch.grid)},
                    {"block", extents(launch.block)},
                    {"cluster", cluster},
                    {"shared", std::to_string(launch.shared_bytes)},
                    {"hint", launchHint(launch, device.maxSharedBytes)}});
  } catch (const std::exception &failure) {
    context->status = -1;
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
  }
}

} // namespace
} // namespace fairlead::cuda

void FairleadCudaLaunch(FairleadCallContext *context, FairleadCudaModule *module, int32_t kernel,
                        void *const *params, const FairleadLaunch *launch) {
  using namespace fairlead::cuda;
  if (context->status != 0)
    return;
  if (launch->grid[0] == 0 || launch->grid[1] == 0 || launch->grid[2] == 0)
    return;
  DeviceKernels *loaded = LoadedModule::get(context, module, context->device_id);
  if (!loaded) [[unlikely]]
    return;
  driver::CUresult error =
      launchOn(Driver::get().table, loaded->kernels[kernel], *loaded->device, params, *launch);
  if (error != driver::CUDA_SUCCESS) [[unlikely]]
    raiseLaunch(context, error, module->kernels[kernel], *loaded->device, *launch);
}
