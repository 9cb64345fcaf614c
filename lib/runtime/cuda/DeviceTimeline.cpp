#include "runtime/cuda/CudaLaunch.h"

#include <algorithm>
#include <map>

namespace fairlead::cuda {
namespace {

using namespace driver;
namespace timeline = runtime::timeline;

struct DeviceBuffer {
  const DeviceContext *device = nullptr;
  CUdeviceptr memory = 0; ///< stays as long as the process: kernels may still write to it
  int64_t bytes = 0;
  uint32_t generation = 0;       ///< of the recording that its head is of
  CUresult error = CUDA_SUCCESS; ///< why it does not serve this recording
};

constinit std::mutex mutex; ///< guards the buffers

std::map<int, DeviceBuffer> &buffers() {
  static auto *all = new std::map<int, DeviceBuffer>;
  return *all;
}

/// Let the calling thread make calls that do not belong to any graph that is being captured.
class OutsideCaptures {
public:
  explicit OutsideCaptures(const Table &table) : table(table) { exchange(); }
  ~OutsideCaptures() { exchange(); }
  OutsideCaptures(const OutsideCaptures &) = delete;
  OutsideCaptures &operator=(const OutsideCaptures &) = delete;

private:
  void exchange() { table.cuThreadExchangeStreamCaptureMode(&mode); }
  const Table &table;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

size_t partBytes(const FairleadTimelineBuffer &head) {
  return sizeof(FairleadTimelinePart) + head.room * sizeof(FairleadTimelineEvent);
}

/// Zeroes the first `bytes` of the buffer, which hold all that was written to it, and writes its
/// head. Reading it back waits for both: kernels of any stream may start then.
CUresult empty(const Table &table, const DeviceBuffer &buffer, size_t bytes) {
  FairleadTimelineBuffer head{};
  head.room = static_cast<uint32_t>(timeline::room.load());
  const size_t parts = (static_cast<size_t>(buffer.bytes) - sizeof head) / partBytes(head);
  head.parts = static_cast<uint32_t>(std::min(parts, size_t{1} << 30));
  CUresult error = table.cuMemsetD8(buffer.memory, 0, bytes);
  if (error == CUDA_SUCCESS)
    error = table.cuMemcpyHtoD(buffer.memory, &head, sizeof head);
  if (error == CUDA_SUCCESS)
    error = table.cuMemcpyDtoH(&head, buffer.memory, sizeof head);
  return error;
}

/// Gives a device a larger buffer. Kernels of graphs may write to the smaller one for as long as
/// they like, so it is not freed.
CUresult enlarge(const Table &table, DeviceBuffer &buffer, int64_t bytes) {
  CUdeviceptr memory = 0;
  if (CUresult error = table.cuMemAlloc(&memory, static_cast<size_t>(bytes)))
    return error;
  buffer.memory = memory;
  buffer.bytes = bytes;
  return CUDA_SUCCESS;
}

/// Returns the buffer of a device, ready for this recording, or 0 if it cannot be made.
CUdeviceptr prepared(const Table &table, const DeviceContext &device, uint32_t generation) {
  DeviceBuffer &buffer = buffers()[device.id];
  const int64_t bytes = timeline::memoryBytes.load();
  const bool wasTried = buffer.generation == generation;
  if (!wasTried || (buffer.error == CUDA_SUCCESS && buffer.bytes < bytes)) {
    buffer.device = &device;
    buffer.generation = generation;
    buffer.error = buffer.bytes < bytes ? enlarge(table, buffer, bytes) : CUDA_SUCCESS;
    if (buffer.error == CUDA_SUCCESS)
      buffer.error = empty(table, buffer, static_cast<size_t>(buffer.bytes));
  }
  return buffer.error == CUDA_SUCCESS ? buffer.memory : 0;
}

void appendParts(std::string &out, const FairleadTimelineBuffer &head, const std::string &device,
                 const std::vector<char> &bytes) {
  uint64_t lost = 0;
  for (size_t at = 0; at < bytes.size(); at += partBytes(head)) {
    const auto &part = *reinterpret_cast<const FairleadTimelinePart *>(bytes.data() + at);
    const auto *events = reinterpret_cast<const FairleadTimelineEvent *>(&part + 1);
    lost += part.lost;
    for (uint32_t i = 0; i < head.room && events[i].time != 0; ++i)
      timeline::append(out, {device, part.grid,
                             timeline::nameOf(events[i].what >> kFairleadTimelineWhatBits),
                             part.block, part.warp, part.processor, events[i]});
  }
  if (lost)
    timeline::appendLost(out, device, std::to_string(lost) + " events beyond the room of a warp");
  if (head.taken > head.parts)
    timeline::appendLost(out, device,
                         "all events of " + std::to_string(head.taken - head.parts) +
                             " warps beyond the memory of the recording");
}

/// Appends the buffer's events, after all work of the device, and empties it. It is ready for
/// this recording then.
CUresult takeFrom(const Table &table, DeviceBuffer &buffer, std::string &out) {
  DeviceGuard guard(table, *buffer.device);
  CUresult error = guard.error();
  if (error == CUDA_SUCCESS)
    error = table.cuCtxSynchronize();
  FairleadTimelineBuffer head{};
  if (error == CUDA_SUCCESS)
    error = table.cuMemcpyDtoH(&head, buffer.memory, sizeof head);
  if (error != CUDA_SUCCESS)
    return error;
  std::vector<char> bytes(std::min<size_t>(head.taken, head.parts) * partBytes(head));
  if (!bytes.empty())
    error = table.cuMemcpyDtoH(bytes.data(), buffer.memory + sizeof head, bytes.size());
  if (error != CUDA_SUCCESS)
    return error;
  appendParts(out, head, "cuda:" + std::to_string(buffer.device->id), bytes);
  return empty(table, buffer, sizeof head + bytes.size());
}

void takeFromAll(std::string &out) {
  const Table &table = Driver::get().table;
  OutsideCaptures outside(table);
  std::lock_guard lock(mutex);
  const uint32_t generation = timeline::generation.load(std::memory_order_acquire);
  for (auto &[id, buffer] : buffers()) {
    CUresult error = buffer.error;
    if (error != CUDA_SUCCESS && buffer.generation != generation)
      continue; // of another recording
    if (error == CUDA_SUCCESS)
      error = takeFrom(table, buffer, out);
    if (error != CUDA_SUCCESS)
      timeline::appendLost(out, "cuda:" + std::to_string(id),
                           "all events: " + describeError(table, error));
    else
      buffer.generation = generation;
  }
}

CUresult connect(const Table &table, DeviceKernels &loaded, uint32_t generation) {
  CUdeviceptr variable = 0, address = 0;
  size_t bytes = 0;
  CUresult error =
      table.cuLibraryGetGlobal(&variable, &bytes, loaded.library, FAIRLEAD_TIMELINE_SYMBOL);
  if (error == CUDA_ERROR_NOT_FOUND)
    return CUDA_SUCCESS; // compiled without a timeline
  if (error != CUDA_SUCCESS)
    return error;
  if (timeline::isOn())
    address = prepared(table, *loaded.device, generation);
  return table.cuMemcpyHtoD(variable, &address, sizeof address);
}

} // namespace

CUresult connectTimeline(const Table &table, DeviceKernels &loaded) {
  if (!table.cuMemAlloc || !table.cuMemsetD8 || !table.cuLibraryGetGlobal || !table.cuMemcpyHtoD ||
      !table.cuMemcpyDtoH)
    return CUDA_ERROR_NOT_FOUND;
  timeline::takeFromDevicesWith(takeFromAll);
  OutsideCaptures outside(table);
  std::lock_guard lock(mutex);
  const uint32_t generation = timeline::generation.load(std::memory_order_acquire);
  CUresult error = connect(table, loaded, generation);
  if (error == CUDA_SUCCESS)
    loaded.timeline.store(generation, std::memory_order_release);
  return error;
}

} // namespace fairlead::cuda
