#include "runtime/cuda/fake/FakeDriver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include <dlfcn.h>

#include "runtime/cuda/DriverTypes.h"

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
  bool any = false; ///< has every kernel
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
  if (mode() == "memory")
    return CUDA_ERROR_OUT_OF_MEMORY;
  initialized = true;
  return CUDA_SUCCESS;
}

CUresult getErrorName(CUresult error, const char **name) {
  switch (error) {
  case 1:
    *name = "CUDA_ERROR_INVALID_VALUE";
    break;
  case 2:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    break;
  case 100:
    *name = "CUDA_ERROR_NO_DEVICE";
    break;
  case 218:
    *name = "CUDA_ERROR_INVALID_PTX";
    break;
  case 222:
    *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
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
  case 2:
    *text = "out of memory";
    break;
  case 100:
    *text = "no CUDA-capable device is detected";
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult driverGetVersion(int *version) {
  *version = 12040;
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
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    *value = 228 * 1024;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult devicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = &contexts[device];
  std::lock_guard lock(state.mutex);
  ++state.contextRetains;
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

CUresult memHostAlloc(void **memory, size_t bytes, unsigned) {
  *memory = std::malloc(bytes);
  return current ? CUDA_SUCCESS : 201;
}

CUresult memcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return CUDA_SUCCESS;
}

CUresult memcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return CUDA_SUCCESS;
}

CUresult memAlloc(CUdeviceptr *memory, size_t bytes) {
  if (bytes > state.memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *made = std::malloc(bytes);
  std::memset(made, 0xa5, bytes); // what a program before left in it
  *memory = reinterpret_cast<CUdeviceptr>(made);
  return CUDA_SUCCESS;
}

CUresult memsetD8(CUdeviceptr memory, unsigned char value, size_t bytes) {
  std::memset(reinterpret_cast<void *>(memory), value, bytes);
  return CUDA_SUCCESS;
}

CUresult libraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary, const char *name) {
  if (state.records && std::strcmp(name, "fairlead_timeline") == 0) {
    *address = reinterpret_cast<CUdeviceptr>(&state.timeline);
    *bytes = sizeof state.timeline;
    return CUDA_SUCCESS;
  }
  if (std::strcmp(name, "fairlead_check_message") != 0)
    return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(&state.checkMessage);
  *bytes = sizeof state.checkMessage;
  return CUDA_SUCCESS;
}

CUresult streamSynchronize(CUstream) { return state.ended ? state.ended() : CUDA_SUCCESS; }

/// 900: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED.
CUresult ctxSynchronize() {
  std::lock_guard lock(state.mutex);
  ++state.synchronizations;
  if (state.capturing)
    return 900;
  return current ? CUDA_SUCCESS : 201;
}

/// The address, the strides, and zeros.
CUresult tensorMapEncodeTiled(void *map, int, cuuint32_t rank, void *address, const cuuint64_t *,
                              const cuuint64_t *strides, const cuuint32_t *, const cuuint32_t *,
                              int, int, int, int) {
  std::lock_guard lock(state.mutex);
  ++state.tensorMaps;
  std::memset(map, 0, 128);
  std::memcpy(map, &address, sizeof address);
  for (cuuint32_t i = 0; i + 1 < rank; ++i) {
    if (strides[i] % 16)
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(static_cast<char *>(map) + 8 + i * 8, &strides[i], 8);
  }
  return CUDA_SUCCESS;
}

CUresult streamIsCapturing(CUstream stream, int *status) {
  std::lock_guard lock(state.mutex);
  ++state.captureQuestions;
  *status = stream == state.capturing ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult threadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  thread_local int own = 0;
  std::lock_guard lock(state.mutex);
  std::swap(own, reinterpret_cast<int &>(*mode));
  state.captureMode = own;
  return CUDA_SUCCESS;
}

CUresult libraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values,
                         unsigned numOptions, int *, void **, unsigned) {
  std::lock_guard lock(state.mutex);
  ++state.libraryLoads;
  state.images.emplace_back(static_cast<const char *>(code),
                            strnlen(static_cast<const char *>(code), 256));
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
  const char *bytes = static_cast<const char *>(code);
  made->any = std::strncmp(bytes,
                           "\x7f"
                           "ELF",
                           4) == 0 ||
              std::strncmp(bytes, "\x50\xed\x55\xba", 4) == 0 || std::strstr(bytes, ".entry");
  while (!made->any && text >> word) {
    made->kernels.push_back(std::make_unique<Kernel>());
    made->kernels.back()->name = word;
  }
  *library = reinterpret_cast<CUlibrary>(made.release());
  return CUDA_SUCCESS;
}

CUresult libraryUnload(CUlibrary library) {
  std::lock_guard lock(state.mutex);
  delete reinterpret_cast<Library *>(library);
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
  std::lock_guard lock(state.mutex);
  auto &kernels = reinterpret_cast<Library *>(library)->kernels;
  auto named = [&](auto &candidate) { return candidate->name == name; };
  if (reinterpret_cast<Library *>(library)->any &&
      std::none_of(kernels.begin(), kernels.end(), named)) {
    kernels.push_back(std::make_unique<Kernel>());
    kernels.back()->name = name;
  }
  for (auto &candidate : kernels)
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

CUresult kernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                            CUdevice device) {
  std::lock_guard lock(state.mutex);
  ++state.attributeSets;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return CUDA_SUCCESS;
  if (value > kMaxShared)
    return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<Kernel *>(kernel)->sharedLimit[device] = value;
  return CUDA_SUCCESS;
}

CUresult kernelGetParamInfo(CUkernel, size_t index, size_t *offset, size_t *size) {
  std::lock_guard lock(state.mutex);
  if (index >= state.paramSizes.size())
    return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * index;
  *size = state.paramSizes[index];
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
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttributeValue &value = config->attrs[i].value;
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.cluster[0] = value.clusterDim.x, launch.cluster[1] = value.clusterDim.y,
      launch.cluster[2] = value.clusterDim.z;
    else if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      launch.cooperative = value.cooperative;
    else if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      launch.programmatic = value.programmaticStreamSerializationAllowed;
  }
  for (int i = 0; i < state.numParams; ++i) {
    uint64_t bits;
    std::memcpy(&bits, params[i], sizeof bits);
    launch.params.push_back(bits);
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

/// Whether tests/faults wants this call to fail.
bool mustFail(const char *name) {
  static const auto hook =
      reinterpret_cast<int (*)(const char *)>(dlsym(RTLD_DEFAULT, "fairlead_faults_driver"));
  return hook && hook(name);
}

template <auto function> struct Failing;
template <typename... Parameters, CUresult (*function)(Parameters...)> struct Failing<function> {
  static inline const char *name;
  static CUresult call(Parameters... parameters) {
    return mustFail(name) ? CUDA_ERROR_OUT_OF_MEMORY : function(parameters...);
  }
};

template <auto function> Entry entry(const char *name) {
  Failing<function>::name = name;
  return {name, reinterpret_cast<void *>(&Failing<function>::call)};
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED FakeDriver *fairleadFakeDriver() { return &state; }

/// For callers from other languages: how many parameters of 8 bytes to record.
EXPORTED void fairleadFakeRecord(int numParams) {
  std::lock_guard lock(state.mutex);
  state.numParams = numParams;
  state.launches.clear();
}

/// The launches so far, a line each, and forgets them: kernel, device, stream, grid, block,
/// cluster, shared memory, cooperative, programmatic, parameters; words between blanks.
EXPORTED const char *fairleadFakeLaunches() {
  std::lock_guard lock(state.mutex);
  static std::string text;
  std::ostringstream lines;
  for (const auto &launch : state.launches) {
    lines << launch.kernel << ' ' << launch.device << ' '
          << reinterpret_cast<uintptr_t>(launch.stream);
    for (auto *extents : {launch.grid, launch.block, launch.cluster})
      for (int axis = 0; axis < 3; ++axis)
        lines << ' ' << extents[axis];
    lines << ' ' << launch.shared << ' ' << launch.cooperative << ' ' << launch.programmatic;
    for (uint64_t param : launch.params)
      lines << ' ' << param;
    lines << '\n';
  }
  state.launches.clear();
  text = lines.str();
  return text.c_str();
}

EXPORTED CUresult cuGetProcAddress_v2(const char *name, void **function, int, uint64_t, int *) {
  static const Entry kEntries[] = {
      entry<init>("cuInit"),
      entry<driverGetVersion>("cuDriverGetVersion"),
      entry<getErrorName>("cuGetErrorName"),
      entry<getErrorString>("cuGetErrorString"),
      entry<deviceGetCount>("cuDeviceGetCount"),
      entry<deviceGet>("cuDeviceGet"),
      entry<deviceGetAttribute>("cuDeviceGetAttribute"),
      entry<devicePrimaryCtxRetain>("cuDevicePrimaryCtxRetain"),
      entry<ctxGetCurrent>("cuCtxGetCurrent"),
      entry<ctxSetCurrent>("cuCtxSetCurrent"),
      entry<ctxSynchronize>("cuCtxSynchronize"),
      entry<threadExchangeStreamCaptureMode>("cuThreadExchangeStreamCaptureMode"),
      entry<libraryLoadData>("cuLibraryLoadData"),
      entry<libraryUnload>("cuLibraryUnload"),
      entry<libraryGetKernel>("cuLibraryGetKernel"),
      entry<libraryGetKernelCount>("cuLibraryGetKernelCount"),
      entry<libraryEnumerateKernels>("cuLibraryEnumerateKernels"),
      entry<kernelGetName>("cuKernelGetName"),
      entry<kernelGetFunction>("cuKernelGetFunction"),
      entry<kernelGetAttribute>("cuKernelGetAttribute"),
      entry<kernelSetAttribute>("cuKernelSetAttribute"),
      entry<launchKernelEx>("cuLaunchKernelEx"),
      entry<libraryGetGlobal>("cuLibraryGetGlobal"),
      entry<memHostAlloc>("cuMemHostAlloc"),
      entry<memcpyHtoD>("cuMemcpyHtoD"),
      entry<memcpyDtoH>("cuMemcpyDtoH"),
      entry<memAlloc>("cuMemAlloc"),
      entry<memsetD8>("cuMemsetD8"),
      entry<streamSynchronize>("cuStreamSynchronize"),
      entry<funcLoad>("cuFuncLoad"),
      entry<streamIsCapturing>("cuStreamIsCapturing"),
      entry<tensorMapEncodeTiled>("cuTensorMapEncodeTiled"),
      state.knowsParams ? entry<kernelGetParamInfo>("cuKernelGetParamInfo")
                        : Entry{"cuKernelGetParamInfo", nullptr},
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
