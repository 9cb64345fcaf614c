/// The CUDA calls of the launcher under one set of names. They go to the driver; the types are the
/// runtime API's from CUDA 12.8 on, as in Apache's headers, else the driver's.
#ifndef TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_
#define TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_

#include <tvm/ffi/extra/cuda/base.h>
#include <tvm/ffi/extra/cuda/internal/driver.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Whether cuda_api's configuration types are the driver's (1) or the runtime API's (0). Either way
/// nothing of the runtime API is called.
#ifndef TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#if TVM_FFI_CUDA_HAS_RUNTIME_HEADER && CUDART_VERSION >= 12080
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 0
#else
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 1
#endif
#endif

#if !TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#if !TVM_FFI_CUDA_HAS_RUNTIME_HEADER
#error "TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API=0 needs cuda_runtime.h"
#endif
static_assert(CUDART_VERSION >= 12080,
              "TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API=0 needs the CUDA 12.8 headers or later");
#endif

namespace tvm {
namespace ffi {
namespace cuda_api {

using StreamHandle = CUstream; // cudaStream_t is the same type
using DeviceHandle = CUdevice;
using LibraryHandle = CUlibrary;
using KernelHandle = CUkernel;

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
using LaunchConfig = CUlaunchConfig;
using LaunchAttrType = CUlaunchAttribute;
using DeviceAttrType = CUdevice_attribute;
#else
using LaunchConfig = cudaLaunchConfig_t;
using LaunchAttrType = cudaLaunchAttribute;
using DeviceAttrType = cudaDeviceAttr;
#endif

/// What a call came to. Converts to CUresult and to cudaError_t, whose numbers agree, so that code
/// written for either API compiles; compares with both.
class ResultType {
public:
  constexpr ResultType() = default;
  constexpr ResultType(CUresult code) : code(code) {}
  constexpr operator CUresult() const { return code; }
#if TVM_FFI_CUDA_HAS_RUNTIME_HEADER
  constexpr ResultType(cudaError_t code) : code(static_cast<CUresult>(code)) {}
  constexpr operator cudaError_t() const { return static_cast<cudaError_t>(code); }
#endif
  /// True for a failure, as of a C code.
  constexpr explicit operator bool() const { return code != CUDA_SUCCESS; }
  constexpr explicit operator int() const { return static_cast<int>(code); }

private:
  CUresult code = CUDA_SUCCESS;
};

template <typename T>
using EnableIfCode =
    std::enable_if_t<std::is_enum_v<T> || std::is_integral_v<T> || std::is_same_v<T, ResultType>>;

template <typename T, typename = EnableIfCode<T>> constexpr bool operator==(ResultType a, T b) {
  return static_cast<int>(a) == static_cast<int>(b);
}
template <typename T, typename = EnableIfCode<T>> constexpr bool operator!=(ResultType a, T b) {
  return !(a == b);
}
template <typename T, typename = EnableIfCode<T>,
          typename = std::enable_if_t<!std::is_same_v<T, ResultType>>>
constexpr bool operator==(T a, ResultType b) {
  return b == a;
}
template <typename T, typename = EnableIfCode<T>,
          typename = std::enable_if_t<!std::is_same_v<T, ResultType>>>
constexpr bool operator!=(T a, ResultType b) {
  return !(b == a);
}

inline constexpr ResultType kSuccess{};

/// Name and text of a result, to read only.
inline void GetErrorString(ResultType result, const char **name, const char **text) {
  inner::CudaDriver::Describe(result, name, text);
}

/// The number of devices; 0 and the reason when the driver cannot be used.
inline ResultType GetDeviceCount(int *count) {
  const auto &driver = inner::CudaDriver::Get();
  *count = driver.num_devices;
  return driver.status;
}

/// The device of an ordinal.
inline DeviceHandle GetDeviceHandle(int device_id) { return device_id; }

inline ResultType GetDeviceAttribute(int *value, DeviceAttrType attribute, DeviceHandle device) {
  const auto &driver = inner::CudaDriver::Get();
  if (driver.status != CUDA_SUCCESS)
    return driver.status;
  return driver.DeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), device);
}

/// Loads a CUBIN, a fatbin or PTX that ends in NUL. The library belongs to no device: the driver
/// puts it on each where a kernel of it runs.
inline ResultType LoadLibrary(LibraryHandle *library, const void *image) {
  const auto &driver = inner::CudaDriver::Get();
  if (driver.status != CUDA_SUCCESS)
    return driver.status;
  return driver.LibraryLoadData(library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

inline ResultType UnloadLibrary(LibraryHandle library) {
  const auto &driver = inner::CudaDriver::Get();
  return driver.status == CUDA_SUCCESS ? driver.LibraryUnload(library) : driver.status;
}

inline ResultType GetKernel(KernelHandle *kernel, LibraryHandle library, const char *name) {
  const auto &driver = inner::CudaDriver::Get();
  return driver.status == CUDA_SUCCESS ? driver.LibraryGetKernel(kernel, library, name)
                                       : driver.status;
}

/// The kernel's static shared memory in bytes.
inline ResultType GetKernelSharedMem(KernelHandle kernel, int &bytes, DeviceHandle device) {
  const auto &driver = inner::CudaDriver::Get();
  return driver.status == CUDA_SUCCESS
             ? driver.KernelGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel,
                                         device)
             : driver.status;
}

/// Lets launches on the device ask for up to `bytes` of dynamic shared memory.
inline ResultType SetKernelMaxDynamicSharedMem(KernelHandle kernel, int bytes,
                                               DeviceHandle device) {
  const auto &driver = inner::CudaDriver::Get();
  return driver.status == CUDA_SUCCESS
             ? driver.KernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes,
                                         kernel, device)
             : driver.status;
}

} // namespace cuda_api

namespace inner {

/// Launches on the stream's device; on the current one when the stream is the default.
inline CUresult launchKernel(CUkernel kernel, void **args, const CUlaunchConfig &config) {
  const CudaDriver &driver = CudaDriver::Get();
  if (TVM_FFI_PREDICT_FALSE(driver.status != CUDA_SUCCESS))
    return driver.status;
  // The driver takes a kernel in place of a function; it belongs to no device, so the stream
  // decides.
  auto function = reinterpret_cast<CUfunction>(kernel);
  CUresult result = driver.LaunchKernelEx(&config, function, args, nullptr);
  if (TVM_FFI_PREDICT_FALSE(result == CUDA_ERROR_INVALID_CONTEXT)) {
    // A thread that has used no device yet: it starts on device 0, as with the runtime API.
    CUcontext context = nullptr;
    if (driver.CtxGetCurrent(&context) == CUDA_SUCCESS && !context &&
        CudaDriver::PrimaryContext(0, &context) == CUDA_SUCCESS &&
        driver.CtxSetCurrent(context) == CUDA_SUCCESS)
      result = driver.LaunchKernelEx(&config, function, args, nullptr);
  }
  return result;
}

inline CUlaunchConfig makeLaunchConfig(dim3 grid, dim3 block, CUstream stream, uint32_t shared,
                                       CUlaunchAttribute *attributes = nullptr,
                                       unsigned num_attributes = 0) {
  CUlaunchConfig config{};
  config.gridDimX = grid.x, config.gridDimY = grid.y, config.gridDimZ = grid.z;
  config.blockDimX = block.x, config.blockDimY = block.y, config.blockDimZ = block.z;
  config.sharedMemBytes = shared;
  config.hStream = stream;
  config.attrs = attributes;
  config.numAttrs = num_attributes;
  return config;
}

inline const CUlaunchConfig &toDriverConfig(const CUlaunchConfig &config) { return config; }

#if TVM_FFI_CUDA_HAS_RUNTIME_HEADER
static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "one layout in both APIs");

inline CUlaunchConfig toDriverConfig(const cudaLaunchConfig_t &config) {
  auto shared = std::min<size_t>(config.dynamicSmemBytes, std::numeric_limits<uint32_t>::max());
  return makeLaunchConfig({config.gridDim.x, config.gridDim.y, config.gridDim.z},
                          {config.blockDim.x, config.blockDim.y, config.blockDim.z}, config.stream,
                          static_cast<uint32_t>(shared),
                          reinterpret_cast<CUlaunchAttribute *>(config.attrs), config.numAttrs);
}

inline void assignConfig(cudaLaunchConfig_t &out, const CUlaunchConfig &config) {
  out = {};
  out.gridDim = {config.gridDimX, config.gridDimY, config.gridDimZ};
  out.blockDim = {config.blockDimX, config.blockDimY, config.blockDimZ};
  out.dynamicSmemBytes = config.sharedMemBytes;
  out.stream = config.hStream;
  out.attrs = reinterpret_cast<cudaLaunchAttribute *>(config.attrs);
  out.numAttrs = config.numAttrs;
}
#endif

inline void assignConfig(CUlaunchConfig &out, const CUlaunchConfig &config) { out = config; }

} // namespace inner

namespace cuda_api {

inline ResultType LaunchKernel(KernelHandle kernel, void **args, dim3 grid, dim3 block,
                               StreamHandle stream, uint32_t dyn_smem_bytes = 0) {
  return inner::launchKernel(kernel, args,
                             inner::makeLaunchConfig(grid, block, stream, dyn_smem_bytes));
}

/// `config` is a CUlaunchConfig or a cudaLaunchConfig_t.
template <typename Config>
inline ResultType LaunchKernelEx(KernelHandle kernel, void **args, const Config &config) {
  return inner::launchKernel(kernel, args, inner::toDriverConfig(config));
}

/// Fills `config`, and `attribute` with a cluster of `cluster_dim` blocks along x when it is
/// above 1. `config` points at `attribute`, which must live as long.
inline ResultType ConstructLaunchConfig(KernelHandle, StreamHandle stream, uint32_t smem_size,
                                        dim3 grid, dim3 block, int cluster_dim,
                                        LaunchConfig &config, LaunchAttrType &attribute) {
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = static_cast<unsigned>(cluster_dim);
  cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  auto *place = reinterpret_cast<CUlaunchAttribute *>(&attribute);
  bool clustered = cluster_dim > 1;
  if (clustered)
    *place = cluster;
  inner::assignConfig(config,
                      inner::makeLaunchConfig(grid, block, stream, smem_size,
                                              clustered ? place : nullptr, clustered ? 1 : 0));
  return kSuccess;
}

} // namespace cuda_api
} // namespace ffi
} // namespace tvm

/// Runs a call that gives a ResultType, a CUresult or a cudaError_t; RuntimeError
/// `CUDA Error: <name> (<code>): <text>` when it fails.
#define TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(stmt)                                              \
  do {                                                                                             \
    ::tvm::ffi::cuda_api::ResultType tvm_ffi_cuda_result = (stmt);                                 \
    if (TVM_FFI_PREDICT_FALSE(tvm_ffi_cuda_result != ::tvm::ffi::cuda_api::kSuccess))              \
      ::tvm::ffi::inner::throwCudaError(tvm_ffi_cuda_result, "", __FILE__, __LINE__,               \
                                        TVM_FFI_FUNC_SIG);                                         \
  } while (0)

/// The same, by its older name.
#define TVM_FFI_CHECK_CUDA_DRIVER_ERROR(stmt) TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(stmt)

#endif // TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_
