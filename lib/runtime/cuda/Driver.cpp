#include "runtime/cuda/Driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>

#include "fairlead/cuda/Device.h"
#include "runtime/cuda/Arch.h"

namespace fairlead::cuda {
namespace {

using namespace driver;

constexpr int kOldestVersion = 12000; // the library API came with CUDA 12.0
constexpr int kOptionalVersion = 12040;

using GetProcAddress = CUresult (*)(const char *symbol, void **function, int version,
                                    uint64_t flags, int *status);

template <typename Function>
bool find(GetProcAddress getProcAddress, const char *name, int version, Function &function) {
  void *address = nullptr;
  if (getProcAddress(name, &address, version, 0, nullptr) != CUDA_SUCCESS || !address)
    return false;
  function = reinterpret_cast<Function>(address);
  return true;
}

/// Fills the table; the name of the first entry point that is not there, else NULL.
const char *fill(Table &table, GetProcAddress getProcAddress) {
#define FAIRLEAD_ENTRY_POINT(name)                                                                 \
  if (!find(getProcAddress, #name, kOldestVersion, table.name))                                    \
    return #name;
  FAIRLEAD_ENTRY_POINT(cuInit)
  FAIRLEAD_ENTRY_POINT(cuGetErrorName)
  FAIRLEAD_ENTRY_POINT(cuGetErrorString)
  FAIRLEAD_ENTRY_POINT(cuDeviceGetCount)
  FAIRLEAD_ENTRY_POINT(cuDeviceGet)
  FAIRLEAD_ENTRY_POINT(cuDeviceGetAttribute)
  FAIRLEAD_ENTRY_POINT(cuDevicePrimaryCtxRetain)
  FAIRLEAD_ENTRY_POINT(cuCtxGetCurrent)
  FAIRLEAD_ENTRY_POINT(cuCtxSetCurrent)
  FAIRLEAD_ENTRY_POINT(cuLibraryLoadData)
  FAIRLEAD_ENTRY_POINT(cuLibraryUnload)
  FAIRLEAD_ENTRY_POINT(cuLibraryGetKernel)
  FAIRLEAD_ENTRY_POINT(cuKernelGetFunction)
  FAIRLEAD_ENTRY_POINT(cuKernelGetAttribute)
  FAIRLEAD_ENTRY_POINT(cuKernelSetAttribute)
  FAIRLEAD_ENTRY_POINT(cuLaunchKernelEx)
  FAIRLEAD_ENTRY_POINT(cuCtxSynchronize)
  FAIRLEAD_ENTRY_POINT(cuThreadExchangeStreamCaptureMode)
#undef FAIRLEAD_ENTRY_POINT
  find(getProcAddress, "cuDriverGetVersion", kOldestVersion, table.cuDriverGetVersion);
  find(getProcAddress, "cuTensorMapEncodeTiled", kOldestVersion, table.cuTensorMapEncodeTiled);
  find(getProcAddress, "cuLibraryGetGlobal", kOldestVersion, table.cuLibraryGetGlobal);
  find(getProcAddress, "cuMemHostAlloc", kOldestVersion, table.cuMemHostAlloc);
  find(getProcAddress, "cuMemcpyHtoD", kOldestVersion, table.cuMemcpyHtoD);
  find(getProcAddress, "cuMemAlloc", kOldestVersion, table.cuMemAlloc);
  find(getProcAddress, "cuMemsetD8", kOldestVersion, table.cuMemsetD8);
  find(getProcAddress, "cuMemcpyDtoH", kOldestVersion, table.cuMemcpyDtoH);
  find(getProcAddress, "cuStreamSynchronize", kOldestVersion, table.cuStreamSynchronize);
  find(getProcAddress, "cuCtxGetDevice", kOldestVersion, table.cuCtxGetDevice);
  find(getProcAddress, "cuStreamGetCtx", kOldestVersion, table.cuStreamGetCtx);
  find(getProcAddress, "cuStreamIsCapturing", kOldestVersion, table.cuStreamIsCapturing);
  find(getProcAddress, "cuFuncLoad", kOptionalVersion, table.cuFuncLoad);
  find(getProcAddress, "cuKernelGetParamInfo", kOptionalVersion, table.cuKernelGetParamInfo);
  return nullptr;
}

Driver open() {
  Driver result;
  const char *path = std::getenv("FAIRLEAD_LIBCUDA");
  if (!path || !*path)
    path = "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    result.reason = reason ? reason : std::string("cannot open ") + path;
    return result;
  }
  auto getProcAddress = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  const char *missing = getProcAddress ? fill(result.table, getProcAddress) : "cuGetProcAddress_v2";
  if (missing) {
    result.reason =
        std::string(path) + " has no " + missing + "; the driver is older than CUDA 12.0";
    return result;
  }
  CUresult status = result.table.cuInit(0);
  if (status == CUDA_SUCCESS)
    status = result.table.cuDeviceGetCount(&result.numDevices);
  if (status != CUDA_SUCCESS) {
    result.numDevices = 0;
    result.status = status;
    result.reason = describeError(result.table, status);
    return result;
  }
  result.usable = true;
  return result;
}

} // namespace

constinit std::atomic<const Driver *> Driver::settled = nullptr;

const Driver &Driver::tryToOpen() {
  constexpr CUresult kPassing[] = {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_OPERATING_SYSTEM,
                                   CUDA_ERROR_SYSTEM_NOT_READY};
  static constinit std::mutex mutex;
  static constinit const Driver *failures[std::size(kPassing)] = {}; // callers refer to them
  std::lock_guard lock(mutex);
  if (const Driver *driver = settled.load(std::memory_order_relaxed))
    return *driver;
  auto opened = std::make_unique<const Driver>(open());
  const auto *passing = std::ranges::find(kPassing, opened->status);
  if (passing != std::end(kPassing)) {
    const Driver *&failure = failures[passing - kPassing];
    if (!failure)
      failure = opened.release();
    return *failure;
  }
  // Leaked: kernels may be launched from static destructors.
  settled.store(opened.get(), std::memory_order_release);
  return *opened.release();
}

int deviceCount() { return Driver::get().numDevices; }

std::string deviceArch(int id) {
  const Driver &driver = Driver::get();
  if (id < 0 || id >= driver.numDevices)
    return "";
  CUdevice handle;
  Arch arch;
  auto read = [&](CUdevice_attribute attribute, int &value) {
    return driver.table.cuDeviceGetAttribute(&value, attribute, handle) == CUDA_SUCCESS;
  };
  if (driver.table.cuDeviceGet(&handle, id) != CUDA_SUCCESS ||
      !read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, arch.major) ||
      !read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, arch.minor))
    return "";
  return targetName(arch);
}

} // namespace fairlead::cuda
