/// FairleadCudaLaunch: one kernel of a loaded module on the call's device and stream.
#include <algorithm>
#include <exception>

#include "fairlead/CheckCpu.h"
#include "fairlead/LaunchExtras.h"
#include "runtime/CurrentDevice.h"
#include "runtime/LaunchShape.h"
#include "runtime/Raise.h"
#include "runtime/Trace.h"
#include "runtime/cuda/CudaLaunch.h"
#include "runtime/cuda/LoadedModule.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead::cuda {
namespace {

using namespace driver;

/// The attributes of a launch other than its extents.
class Attributes {
public:
  Attributes(const FairleadLaunch &launch, const DeviceContext &device) {
    // Clusters of one block are launched as such where a program names them: st.async is an illegal
    // instruction in others.
    if (runtime::hasCluster(launch) || (launch.cluster[0] && device.arch.major >= kClusterMajor))
      add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {
          unsigned(launch.cluster[0]), unsigned(launch.cluster[1]), unsigned(launch.cluster[2])};
    if (launch.flags & kFairleadLaunchCooperative)
      add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
    if (launch.flags & kFairleadLaunchProgrammatic)
      add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
          .programmaticStreamSerializationAllowed = 1;
    if (launch.flags & kFairleadLaunchHasExtras) [[unlikely]]
      addExtras(reinterpret_cast<const FairleadLaunchExtras &>(launch), device);
  }

  CUlaunchAttribute *data() { return count ? attributes : nullptr; }
  unsigned size() const { return count; }

private:
  void addExtras(const FairleadLaunchExtras &extras, const DeviceContext &device) {
    const int32_t *better = extras.preferred_cluster;
    if (better[0] > 0 && device.arch.major >= kPreferredClusterMajor)
      add(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim = {
          unsigned(better[0]), unsigned(better[1]), unsigned(better[2])};
    if (int percent = carveout(extras, device); percent >= 0)
      add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout =
          unsigned(percent);
    if (extras.completion_event)
      add(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT).launchCompletionEvent = {
          static_cast<CUevent>(extras.completion_event), extras.completion_flags};
    if (extras.programmatic_event)
      add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT).programmaticEvent = {
          static_cast<CUevent>(extras.programmatic_event), extras.programmatic_flags,
          extras.trigger_at_start};
  }

  /// Percent of the L1 cache for shared memory; -1: the device's choice.
  static int carveout(const FairleadLaunchExtras &extras, const DeviceContext &device) {
    if (extras.carveout >= -1)
      return extras.carveout;
    int64_t bytes = -int64_t{extras.carveout} * extras.launch.shared_bytes;
    int64_t most = device.sharedBytesOfProcessor;
    if (bytes <= 0 || most <= 0)
      return -1;
    return static_cast<int>(std::min<int64_t>((bytes * 100 + most - 1) / most, 100));
  }

  /// Devices below have no clusters, and one size of them in a grid.
  static constexpr int kClusterMajor = 9, kPreferredClusterMajor = 10;

  CUlaunchAttributeValue &add(CUlaunchAttributeID id) {
    attributes[count].id = id;
    return attributes[count++].value;
  }

  CUlaunchAttribute attributes[7];
  unsigned count = 0;
};

/// Every device has clusters of 8 blocks; more must be asked for.
bool hasLargeCluster(const FairleadLaunch &launch) {
  return runtime::hasCluster(launch) &&
         int64_t{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2] > 8;
}

CUresult launchOn(const Table &table, DeviceKernels &loaded, int32_t number, void *const *params,
                  const FairleadLaunch &launch) {
  LoadedKernel &kernel = loaded.kernels[number];
  const DeviceContext &device = *loaded.device;
  DeviceGuard guard(table, device);
  if (guard.error() != CUDA_SUCCESS)
    return guard.error();
  if (launch.shared_bytes > 0)
    if (CUresult error = allowShared(table, kernel, device, launch.shared_bytes))
      return error;
  void *stream = launch.has_stream ? launch.stream : TVMFFIEnvGetStream(kDLCUDA, device.id);
  if (hasLargeCluster(launch))
    if (CUresult error = allowLargeClusters(table, kernel, device))
      return error;
  LoadedModule::noteCapture(loaded, stream);
  Attributes attributes(launch, device);
  CUlaunchConfig config = {unsigned(launch.grid[0]),
                           unsigned(launch.grid[1]),
                           unsigned(launch.grid[2]),
                           unsigned(launch.block[0]),
                           unsigned(launch.block[1]),
                           unsigned(launch.block[2]),
                           unsigned(launch.shared_bytes),
                           static_cast<CUstream>(stream),
                           attributes.data(),
                           attributes.size()};
  if (!isTimelineConnected(loaded)) [[unlikely]]
    if (CUresult error = connectTimeline(table, loaded))
      return error;
  const bool checked = launch.flags & kFairleadLaunchChecked;
  if (checked) [[unlikely]]
    if (CUresult error = beginChecked(table, loaded))
      return error;
  CUresult error =
      table.cuLaunchKernelEx(&config, kernel.function, const_cast<void **>(params), nullptr);
  return checked && error == CUDA_SUCCESS ? endChecked(table, config.hStream) : error;
}

/// Returns the ordinal of a context's device, or -1 if the driver does not report it.
int deviceOf(const Table &table, CUcontext context) {
  CUcontext previous = nullptr;
  if (table.cuCtxGetCurrent(&previous) != CUDA_SUCCESS ||
      table.cuCtxSetCurrent(context) != CUDA_SUCCESS)
    return -1;
  int device = currentDevice();
  table.cuCtxSetCurrent(previous);
  return device;
}

/// A stream of another device than the tensors' is refused by the driver, which does not say why.
std::string streamHint(const FairleadLaunch &launch, const DeviceContext &device) {
  const Table &table = Driver::get().table;
  CUcontext context = nullptr;
  // Handles up to 2 are the default streams of whichever device.
  if (!launch.has_stream || reinterpret_cast<uintptr_t>(launch.stream) <= 2 ||
      !table.cuStreamGetCtx || !table.cuCtxGetDevice ||
      table.cuStreamGetCtx(static_cast<CUstream>(launch.stream), &context) != CUDA_SUCCESS ||
      context == device.primary)
    return "";
  int other = deviceOf(table, context);
  return other < 0 || other == device.id
             ? "; the stream belongs to another context"
             : "; the stream is one of cuda:" + std::to_string(other) +
                   ", the tensors are on cuda:" + std::to_string(device.id);
}

void raiseLaunch(FairleadCallContext *context, CUresult error, const char *kernelName,
                 const DeviceContext &device, const FairleadLaunch &launch) {
  using runtime::extents;
  try {
    std::string hint = earlierWorkHint(error);
    if (hint.empty())
      hint = launchHint(launch, device.maxSharedBytes, device.arch.major * 10 + device.arch.minor);
    if (hint.empty())
      hint = streamHint(launch, device);
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
                    {"hint", hint}});
  } catch (const std::exception &failure) {
    context->status = -1;
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
  }
}

/// Three zeros are no cluster.
bool hasWrongCluster(const int32_t (&cluster)[3]) {
  return (cluster[0] < 1 || cluster[1] < 1 || cluster[2] < 1) &&
         (cluster[0] || cluster[1] || cluster[2]);
}

[[gnu::cold]] void raiseCluster(FairleadCallContext *context, const char *kernelName,
                                const FairleadLaunch &launch) {
  runtime::raise(context, Diagnostic::LaunchCluster,
                 {{"kernel", kernelName},
                  {"expected", "extents of 1 or more"},
                  {"cluster", runtime::extents(launch.cluster)}});
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
  if (hasWrongCluster(launch->cluster)) [[unlikely]]
    return raiseCluster(context, module->kernels[kernel], *launch);
  // A call without tensors runs where the thread does: on the device that the caller selected.
  if (context->device_id < 0) [[unlikely]]
    context->device_id = currentDevice();
  DeviceKernels *loaded = LoadedModule::get(context, module, context->device_id);
  if (!loaded) [[unlikely]]
    return;
  namespace trace = fairlead::runtime::trace;
  const bool traced = trace::isOn();
  int64_t start = traced ? trace::now() : 0;
  driver::CUresult error = launchOn(Driver::get().table, *loaded, kernel, params, *launch);
  if (traced) [[unlikely]]
    trace::addLaunch(trace::intern(module->kernels[kernel]), *launch, false, loaded->device->id,
                     start);
  if ((launch->flags & kFairleadLaunchChecked) && raiseFinding(context)) [[unlikely]]
    return;
  if (error != driver::CUDA_SUCCESS) [[unlikely]]
    raiseLaunch(context, error, module->kernels[kernel], *loaded->device, *launch);
}
