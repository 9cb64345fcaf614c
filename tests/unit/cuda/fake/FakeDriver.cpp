#include "cuda/fake/FakeDriver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "cuda/DriverTypes.h"

using namespace fairlead::cuda::driver;
using fairlead::test::FakeDriver;

struct fairlead::cuda::driver::CUctx_st {
  int device;
};

namespace {

constexpr int kNumDevices = 3;
constexpr int kMaxShared = 232448;

struct Library;
struct Kernel {
  std::string name;
  int sharedLimit[kNumDevices] = {49152, 49152, 49152};
};
struct Library {
  std::vector<std::unique_ptr<Kernel>> kernels;
};

FakeDriver state;
CUctx_st contexts[kNumDevices] = {{0}, {1}, {2}};
thread_local CUctx_st *current = nullptr;
bool initialized = false;

std::string mode() {
  const char *text = std::getenv("FAKE_CUDA_MODE");
  return text ? text : "";
}

CUresult init(unsigned) {
  std::lock_guard lock(state.mutex);
  ++state.inits;
  if (mode() == "none")
    return CUDA_ERROR_NO_DEVICE;
  initialized = true;
  return CUDA_SUCCESS;
}

CUresult getErrorName(CUresult error, const char **name) {
  switch (error) {
  case 1:
    *name = "CUDA_ERROR_INVALID_VALUE";
    break;
  case 100:
    *name = "CUDA_ERROR_NO_DEVICE";
    break;
  case 218:
    *name = "CUDA_ERROR_INVALID_PTX";
    break;
  case 101:
    *name = "CUDA_ERROR_INVALID_DEVICE";
    break;
  case 200:
    *name = "CUDA_ERROR_INVALID_IMAGE";
    break;
  case 201:
    *name = "CUDA_ERROR_INVALID_CONTEXT";
    break;
  case 500:
    *name = "CUDA_ERROR_NOT_FOUND";
    break;
  case 719:
    *name = "CUDA_ERROR_LAUNCH_FAILED";
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult getErrorString(CUresult error, const char **text) {
  switch (error) {
  case 1:
    *text = "invalid argument";
    break;
  case 100:
    *text = "no CUDA-capable device is detected";
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult deviceGetCount(int *count) {
  *count = kNumDevices;
  return initialized ? CUDA_SUCCESS : 3;
}

CUresult deviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return ordinal >= 0 && ordinal < kNumDevices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult deviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = device == 2 ? 8 : 9;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = 0;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = kMaxShared;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult devicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = &contexts[device];
  return CUDA_SUCCESS;
}

CUresult ctxGetCurrent(CUcontext *context) {
  *context = current;
  return CUDA_SUCCESS;
}

CUresult ctxSetCurrent(CUcontext context) {
  current = context;
  std::lock_guard lock(state.mutex);
  ++state.contextSwitches;
  return CUDA_SUCCESS;
}

CUresult libraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values,
                         unsigned numOptions, int *, void **, unsigned) {
  std::lock_guard lock(state.mutex);
  ++state.libraryLoads;
  std::istringstream text(static_cast<const char *>(code));
  std::string word;
  text >> word;
  if (word == "refuse") {
    int error;
    text >> error >> std::ws;
    std::string log;
    std::getline(text, log);
    for (unsigned i = 0; i < numOptions; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        std::strcpy(static_cast<char *>(values[i]), log.c_str());
    return error;
  }
  auto made = std::make_unique<Library>();
  while (text >> word) {
    made->kernels.push_back(std::make_unique<Kernel>());
    made->kernels.back()->name = word;
  }
  *library = reinterpret_cast<CUlibrary>(made.release());
  return CUDA_SUCCESS;
}

CUresult libraryUnload(CUlibrary) {
  std::lock_guard lock(state.mutex);
  ++state.libraryUnloads;
  return CUDA_SUCCESS;
}

CUresult libraryGetKernelCount(unsigned *count, CUlibrary library) {
  *count = unsigned(reinterpret_cast<Library *>(library)->kernels.size());
  return CUDA_SUCCESS;
}

CUresult libraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library) {
  for (unsigned i = 0; i < count; ++i)
    kernels[i] = reinterpret_cast<CUkernel>(reinterpret_cast<Library *>(library)->kernels[i].get());
  return CUDA_SUCCESS;
}

CUresult kernelGetName(const char **name, CUkernel kernel) {
  *name = reinterpret_cast<Kernel *>(kernel)->name.c_str();
  return CUDA_SUCCESS;
}

CUresult libraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  for (auto &candidate : reinterpret_cast<Library *>(library)->kernels)
    if (candidate->name == name) {
      *kernel = reinterpret_cast<CUkernel>(candidate.get());
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult kernelGetFunction(CUfunction *function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return current ? CUDA_SUCCESS : 201;
}

CUresult funcLoad(CUfunction) {
  std::lock_guard lock(state.mutex);
  ++state.functionLoads;
  return CUDA_SUCCESS;
}

CUresult kernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                            CUdevice device) {
  std::lock_guard lock(state.mutex);
  *value = attribute == 1 /* SHARED_SIZE_BYTES */
               ? fairlead::test::kFakeStaticShared
               : reinterpret_cast<Kernel *>(kernel)->sharedLimit[device];
  return CUDA_SUCCESS;
}

CUresult kernelSetAttribute(CUfunction_attribute, int value, CUkernel kernel, CUdevice device) {
  std::lock_guard lock(state.mutex);
  ++state.attributeSets;
  if (value > kMaxShared)
    return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<Kernel *>(kernel)->sharedLimit[device] = value;
  return CUDA_SUCCESS;
}

CUresult launchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **) {
  std::lock_guard lock(state.mutex);
  if (state.failLaunch)
    return state.failLaunch;
  if (!current)
    return 201;
  auto *kernel = reinterpret_cast<Kernel *>(function);
  uint64_t threads = uint64_t(config->blockDimX) * config->blockDimY * config->blockDimZ;
  if (threads == 0 || threads > 1024 || config->gridDimX > 0x7fffffff || config->gridDimY > 65535 ||
      config->sharedMemBytes > unsigned(kernel->sharedLimit[current->device]))
    return CUDA_ERROR_INVALID_VALUE;
  fairlead::test::FakeLaunch launch{};
  launch.kernel = kernel->name;
  launch.device = current->device;
  launch.stream = config->hStream;
  launch.grid[0] = config->gridDimX, launch.grid[1] = config->gridDimY,
  launch.grid[2] = config->gridDimZ;
  launch.block[0] = config->blockDimX, launch.block[1] = config->blockDimY,
  launch.block[2] = config->blockDimZ;
  launch.shared = config->sharedMemBytes;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &dims = config->attrs[i].value.clusterDim;
      launch.cluster[0] = dims.x, launch.cluster[1] = dims.y, launch.cluster[2] = dims.z;
    }
  launch.numAttributes = config->numAttrs;
  for (unsigned i = 0; i < config->numAttrs && i < 8; ++i) {
    launch.attributes[i] = config->attrs[i].id;
    std::memcpy(&launch.attributeValues[i], &config->attrs[i].value, sizeof(int));
  }
  launch.firstParam = params ? *static_cast<int *>(params[0]) : 0;
  state.launches.push_back(launch);
  return CUDA_SUCCESS;
}

struct Entry {
  const char *name;
  void *function;
};

template <typename Function> Entry entry(const char *name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED FakeDriver *fairleadFakeDriver() { return &state; }

EXPORTED CUresult cuGetProcAddress_v2(const char *name, void **function, int, uint64_t, int *) {
  static const Entry kEntries[] = {
      entry("cuInit", init),
      entry("cuGetErrorName", getErrorName),
      entry("cuGetErrorString", getErrorString),
      entry("cuDeviceGetCount", deviceGetCount),
      entry("cuDeviceGet", deviceGet),
      entry("cuDeviceGetAttribute", deviceGetAttribute),
      entry("cuDevicePrimaryCtxRetain", devicePrimaryCtxRetain),
      entry("cuCtxGetCurrent", ctxGetCurrent),
      entry("cuCtxSetCurrent", ctxSetCurrent),
      entry("cuLibraryLoadData", libraryLoadData),
      entry("cuLibraryUnload", libraryUnload),
      entry("cuLibraryGetKernel", libraryGetKernel),
      entry("cuLibraryGetKernelCount", libraryGetKernelCount),
      entry("cuLibraryEnumerateKernels", libraryEnumerateKernels),
      entry("cuKernelGetName", kernelGetName),
      entry("cuKernelGetFunction", kernelGetFunction),
      entry("cuKernelGetAttribute", kernelGetAttribute),
      entry("cuKernelSetAttribute", kernelSetAttribute),
      entry("cuLaunchKernelEx", launchKernelEx),
      entry("cuFuncLoad", funcLoad),
  };
  if (mode() == "old" && std::strncmp(name, "cuLibrary", 9) == 0)
    return CUDA_ERROR_NOT_FOUND;
  for (const Entry &candidate : kEntries)
    if (std::strcmp(candidate.name, name) == 0) {
      *function = candidate.function;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}
