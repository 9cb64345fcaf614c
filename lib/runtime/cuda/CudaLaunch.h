/// What launches on GPUs need besides the driver's call.
#pragma once

#include <string>

#include "fairlead/Runtime.h"
#include "runtime/Timeline.h"
#include "runtime/cuda/LoadedModule.h"

namespace fairlead::cuda {

/// Kernels that were compiled under `--check` leave a message when they stop. Gives the module the
/// address for messages, if it does not have it. Its context is current.
driver::CUresult beginChecked(const driver::Table &table, DeviceKernels &loaded);

/// Waits for the kernel, unless the stream is being captured. The next checked launch reports the
/// findings of a graph.
driver::CUresult endChecked(const driver::Table &table, driver::CUstream stream);

/// Raises the finding of a kernel, once. Returns false if no finding is pending.
bool raiseFinding(FairleadCallContext *context);

/// Tells the module where its device's buffer for the events of timelines (fairlead/Timeline.h) is,
/// or that nobody collects. Its context is current. A device without memory for the buffer is no
/// error: FairleadTimelineTake reports it.
driver::CUresult connectTimeline(const driver::Table &table, DeviceKernels &loaded);

/// True if the module knows the current state of collecting.
inline bool isTimelineConnected(const DeviceKernels &loaded) {
  return loaded.timeline.load(std::memory_order_acquire) ==
         runtime::timeline::generation.load(std::memory_order_relaxed);
}

/// Lets the kernel use `bytes` of dynamic shared memory on its device; above 48 KiB the driver
/// requires this. Costs a load and a compare if the kernel has them already. Thread-safe.
driver::CUresult allowShared(const driver::Table &table, LoadedKernel &kernel,
                             const DeviceContext &device, int bytes);

/// Lets the kernel use clusters of more than 8 blocks, if the device can. Thread-safe.
driver::CUresult allowLargeClusters(const driver::Table &table, LoadedKernel &kernel,
                                    const DeviceContext &device);

/// "; a block has 1 to 1024 threads, but this one has 4096", or "". `maxSharedBytes`: of a block on
/// the device; `capability`: 10 * major + minor of it.
std::string launchHint(const FairleadLaunch &launch, int maxSharedBytes, int capability);

/// Explains errors (CUresult) that a launch only passes on because earlier work on the device
/// failed. Returns "" for other errors.
std::string earlierWorkHint(int error);

} // namespace fairlead::cuda
