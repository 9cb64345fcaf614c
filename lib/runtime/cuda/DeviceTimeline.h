/// Buffers of GPUs that warps write their events to (fairlead/Timeline.h).
#ifndef FAIRLEAD_LIB_RUNTIME_CUDA_DEVICETIMELINE_H_
#define FAIRLEAD_LIB_RUNTIME_CUDA_DEVICETIMELINE_H_

#include "runtime/Timeline.h"
#include "runtime/cuda/LoadedModule.h"

namespace fairlead::cuda {

/// Tells the module where its device's buffer is, or that nobody collects. Its context is current.
/// A device without memory for the buffer is no error: FairleadTimelineTake reports it.
driver::CUresult connectTimeline(const driver::Table &table, DeviceKernels &loaded);

/// True if the module knows the current state of collecting.
inline bool isTimelineConnected(const DeviceKernels &loaded) {
  return loaded.timeline.load(std::memory_order_acquire) ==
         runtime::timeline::generation.load(std::memory_order_relaxed);
}

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_RUNTIME_CUDA_DEVICETIMELINE_H_
