#include <cstdio>
#include <map>
#include <mutex>

#include "cuda/Driver.h"
#include "cuda/tools/Tools.h"

namespace fairlead::cuda {
namespace {

using namespace driver;

/// The device's primary context, retained once for the process; NULL where the driver gives none.
CUcontext primaryContext(const Table &table, int device) {
  static std::mutex mutex;
  static auto *contexts = new std::map<int, CUcontext>;
  std::lock_guard lock(mutex);
  CUcontext &context = (*contexts)[device];
  CUdevice handle;
  if (!context && (table.cuDeviceGet(&handle, device) != CUDA_SUCCESS ||
                   table.cuDevicePrimaryCtxRetain(&context, handle) != CUDA_SUCCESS))
    context = nullptr;
  return context;
}

/// The device's context made current, and work let be that another thread's capture would forbid.
class Scope {
public:
  Scope(const Table &table, CUcontext context) : table(table) {
    table.cuThreadExchangeStreamCaptureMode(&mode);
    table.cuCtxGetCurrent(&previous);
    entered = context && table.cuCtxSetCurrent(context) == CUDA_SUCCESS;
  }
  ~Scope() {
    if (entered)
      table.cuCtxSetCurrent(previous);
    table.cuThreadExchangeStreamCaptureMode(&mode);
  }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

  bool entered;

private:
  const Table &table;
  CUcontext previous = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// What the kernel's part of the driver calls itself: patch releases have one CUDA version.
std::string driverRelease() {
  char line[256] = "";
  if (std::FILE *file = std::fopen("/proc/driver/nvidia/version", "r")) {
    if (!std::fgets(line, sizeof(line), file))
      line[0] = '\0';
    std::fclose(file);
  }
  return line;
}

} // namespace

Assembled assembleWithDriver(int device, const std::string &ptx) {
  const Driver &driver = Driver::get();
  const Table &table = driver.table;
  if (device >= driver.numDevices || !table.cuLinkCreate || !table.cuLinkAddData ||
      !table.cuLinkComplete || !table.cuLinkDestroy)
    return {};
  Assembled result;
  result.tool = "the driver";
  Scope scope(table, primaryContext(table, device));
  if (!scope.entered) {
    result.error = "no context on device " + std::to_string(device);
    return result;
  }
  char log[2048] = "";
  // PTX without line directives gets no line table.
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_GENERATE_LINE_INFO};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log) - 1)),
                    reinterpret_cast<void *>(uintptr_t(1))};
  CUlinkState state = nullptr;
  void *cubin = nullptr;
  size_t size = 0;
  CUresult status = table.cuLinkCreate(3, options, values, &state);
  if (status == CUDA_SUCCESS)
    // The text's NUL counts as a part of it.
    status = table.cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char *>(ptx.c_str()),
                                 ptx.size() + 1, "kernel.ptx", 0, nullptr, nullptr);
  if (status == CUDA_SUCCESS)
    status = table.cuLinkComplete(state, &cubin, &size);
  if (status == CUDA_SUCCESS)
    result.cubin.assign(static_cast<const char *>(cubin), size); // it ends with the state
  else
    result.error = describeError(table, status) + (log[0] ? ": " + std::string(log) : "");
  if (state)
    table.cuLinkDestroy(state);
  return result;
}

std::string driverIdentity() {
  static const std::string &identity = *new std::string([] {
    const Driver &driver = Driver::get();
    int version = 0;
    if (driver.usable && driver.table.cuDriverGetVersion)
      driver.table.cuDriverGetVersion(&version);
    return driver.usable ? "driver " + std::to_string(version) + " " + driverRelease() : "";
  }());
  return identity;
}

} // namespace fairlead::cuda
