#include "runtime/cuda/CudaLaunch.h"

#include <exception>

#include "fairlead/CheckCuda.h"
#include "runtime/Findings.h"
#include "runtime/LaunchShape.h"
#include "runtime/Raise.h"

namespace fairlead::cuda {
namespace {

using namespace driver;

constinit std::mutex mutex;                           ///< guards the making and the taking
constinit std::atomic<FairleadCheckMessage *> memory; ///< of all devices; stays as long as they do

bool isComplete(FairleadCheckMessage *message) {
  return message && std::atomic_ref(message->state).load(std::memory_order_acquire) != 0;
}

CUresult makeMessage(const Table &table) {
  std::lock_guard lock(mutex);
  if (memory.load())
    return CUDA_SUCCESS;
  constexpr unsigned kPortable = 1, kDeviceMap = 2; // CU_MEMHOSTALLOC_..., which are macros
  void *made = nullptr;
  CUresult error =
      table.cuMemHostAlloc(&made, sizeof(FairleadCheckMessage), kPortable | kDeviceMap);
  if (error == CUDA_SUCCESS)
    memory.store(new (made) FairleadCheckMessage());
  return error;
}

} // namespace

CUresult beginChecked(const Table &table, DeviceKernels &loaded) {
  if (loaded.tellsChecks.load(std::memory_order_acquire))
    return CUDA_SUCCESS;
  if (!table.cuMemHostAlloc || !table.cuLibraryGetGlobal || !table.cuMemcpyHtoD)
    return CUDA_ERROR_NOT_FOUND;
  // These calls do not belong to any graph that is being captured.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  table.cuThreadExchangeStreamCaptureMode(&mode);
  CUdeviceptr variable = 0;
  size_t bytes = 0;
  CUresult error = makeMessage(table);
  if (error == CUDA_SUCCESS)
    error =
        table.cuLibraryGetGlobal(&variable, &bytes, loaded.library, FAIRLEAD_CHECK_MESSAGE_SYMBOL);
  if (error == CUDA_SUCCESS) {
    FairleadCheckMessage *message = memory.load();
    error = table.cuMemcpyHtoD(variable, &message, sizeof message);
  } else if (error == CUDA_ERROR_NOT_FOUND) {
    error = CUDA_SUCCESS; // kernels in which nothing can be out of bounds
  }
  table.cuThreadExchangeStreamCaptureMode(&mode);
  if (error == CUDA_SUCCESS)
    loaded.tellsChecks.store(true, std::memory_order_release);
  return error;
}

CUresult endChecked(const Table &table, CUstream stream) {
  int capturing = 0;
  if (table.cuStreamIsCapturing && reinterpret_cast<uintptr_t>(stream) > 1)
    table.cuStreamIsCapturing(stream, &capturing);
  if (capturing || !table.cuStreamSynchronize)
    return CUDA_SUCCESS;
  return table.cuStreamSynchronize(stream);
}

bool raiseFinding(FairleadCallContext *context) {
  using namespace runtime;
  if (!isComplete(memory.load()))
    return false;
  try {
    FairleadCheckMessage report;
    {
      std::lock_guard lock(mutex);
      FairleadCheckMessage *message = memory.load();
      if (!isComplete(message))
        return false;
      report = *message;
      *message = {};
    }
    // Sites have a number in front, which launches on GPUs do not give.
    report.site[sizeof report.site - 1] = '\0';
    const std::string text = std::string(4, '\0') + report.site;
    const Site site = Site::parse(text.c_str());
    const std::string block = extents(report.block);
    if (report.kind == kFairleadCheckMessageAssertion) {
      raise(context, Diagnostic::AssertionFailed,
            {{"message", site.tensor + " (" + site.place() + ")"},
             {"block", block},
             {"kernel", site.kernel}});
      return true;
    }
    Findings findings;
    findings.add("bounds", text.c_str(), nullptr, 0, [&](Finding &finding) {
      const int64_t *numbers = report.numbers;
      if (report.kind == kFairleadCheckMessageIndex) {
        tellIndex(finding, site, numbers[0], numbers[1], numbers[2]);
      } else {
        finding.tensor = site.tensor.empty() ? site.memory + " memory" : site.tensor;
        tellOutside(finding, numbers[0], numbers[1], numbers[2],
                    site.tensor.empty() ? allocationText(site, numbers[2])
                                        : "the memory of " + finding.tensor);
      }
      finding.accesses.push_back({"access", text.c_str(), extents(report.thread), block});
    });
    lastFindings() = findings.fields();
    raise(context, Diagnostic::CheckFailed,
          {{"findings", findings.text(site.kernel) +
                            "\n  It stopped the kernel; this process cannot go on with the GPU."}});
  } catch (const std::exception &failure) {
    context->status = -1;
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
  }
  return true;
}

} // namespace fairlead::cuda
