/// Kernels from CUBINs, fatbins and PTX: loaded from memory, launched on any device of the machine.
/// Needs neither a toolkit nor a CUDA library; the driver is opened at the first use.
///
///     TVM_FFI_EMBED_CUBIN(my_cubin);  // fairlead embed put its bytes into this library
///
///     void AddOne(TensorView x, TensorView y) {
///       static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(my_cubin, "add_one");
///       ...
///       TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(kernel.Launch(args, grid, block, stream));
///     }
///
/// Functions throw RuntimeError `CUDA Error: <name> (<code>): <text>`; those that give a ResultType
/// do not throw. All of it may be used from any thread at once.
#ifndef TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_
#define TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_

#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/base.h>
#include <tvm/ffi/extra/cuda/internal/image_check.h>
#include <tvm/ffi/extra/cuda/internal/unified_api.h>
#include <tvm/ffi/extra/cuda/launch_attributes.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tvm {
namespace ffi {

/// A kernel of a CubinModule, which must live as long as the kernel is used.
class CubinKernel {
public:
  CubinKernel(cuda_api::LibraryHandle library, const char *name);
  CubinKernel(const CubinKernel &) = delete;
  CubinKernel &operator=(const CubinKernel &) = delete;
  CubinKernel(CubinKernel &&other) noexcept : kernel(other.kernel) { other.kernel = nullptr; }
  CubinKernel &operator=(CubinKernel &&other) noexcept {
    std::swap(kernel, other.kernel);
    return *this;
  }

  /// Launches on the device of `stream`; the default stream (null) is the current device's.
  /// `args[i]` points at the i-th parameter, which is copied before this returns; `dyn_smem_bytes`
  /// is the dynamic shared memory of a block (above 48 KiB: GetKernelWithMaxDynamicSharedMemory).
  /// Does not wait for the kernel; its own failures come with a later call.
  cuda_api::ResultType Launch(void **args, dim3 grid, dim3 block, cuda_api::StreamHandle stream,
                              uint32_t dyn_smem_bytes = 0) {
    return inner::launchKernel(kernel, args,
                               inner::makeLaunchConfig(grid, block, stream, dyn_smem_bytes));
  }

  /// The same with attributes (Fairlead's own).
  cuda_api::ResultType Launch(void **args, dim3 grid, dim3 block, cuda_api::StreamHandle stream,
                              uint32_t dyn_smem_bytes, LaunchAttributes attributes) {
    return inner::launchKernel(kernel, args,
                               inner::makeLaunchConfig(grid, block, stream, dyn_smem_bytes,
                                                       attributes.data(), attributes.size()));
  }

  /// Launches as the configuration says.
  cuda_api::ResultType LaunchEx(void **args, const CUlaunchConfig &config) {
    return inner::launchKernel(kernel, args, config);
  }
#if TVM_FFI_CUDA_HAS_RUNTIME_HEADER
  cuda_api::ResultType LaunchEx(void **args, const cudaLaunchConfig_t &config) {
    return inner::launchKernel(kernel, args, inner::toDriverConfig(config));
  }
#endif

  /// Puts the kernel on a device now (-1: the current one, or device 0), which its first launch
  /// there would do otherwise. Call it before a graph capture. Fairlead's own.
  cuda_api::ResultType Load(int device_id = -1) const;

  cuda_api::KernelHandle GetHandle() const { return kernel; }

private:
  explicit CubinKernel(cuda_api::KernelHandle kernel) : kernel(kernel) {}
  friend class CubinModule;

  cuda_api::KernelHandle kernel = nullptr;
};

/// A loaded image. It belongs to no device; its kernels run on each that the image fits.
class CubinModule {
public:
  /// Loads an image, of which a copy is made. It is checked as far as its size allows: what is
  /// empty or cut off is an error here.
  explicit CubinModule(const Bytes &bytes) : CubinModule(bytes.data(), bytes.size()) {}
  CubinModule(const void *image, size_t size);
  /// The same of an image whose size is not known, and which therefore cannot be checked.
  explicit CubinModule(const char *image);
  explicit CubinModule(const unsigned char *image)
      : CubinModule(reinterpret_cast<const char *>(image)) {}

  CubinModule(const CubinModule &) = delete;
  CubinModule &operator=(const CubinModule &) = delete;
  CubinModule(CubinModule &&other) noexcept : library(other.library) { other.library = nullptr; }
  CubinModule &operator=(CubinModule &&other) noexcept {
    std::swap(library, other.library);
    return *this;
  }
  /// Unloads; no kernel of it may run any more.
  ~CubinModule() {
    if (library)
      cuda_api::UnloadLibrary(library);
  }

  /// The kernel of that name: the symbol, so "_Z3addPf" for `void add(float*)` without extern "C".
  /// The error for a name that is not in the image lists those that are.
  CubinKernel GetKernel(const char *name) { return CubinKernel(library, name); }
  CubinKernel operator[](const char *name) { return GetKernel(name); }

  /// The kernel with its limit of dynamic shared memory raised on every device: to
  /// `dynamic_smem_max` bytes, or with -1 to all that the device gives a block beside the kernel's
  /// static shared memory. RuntimeError when no device grants it; devices that the image does not
  /// fit are passed over.
  CubinKernel GetKernelWithMaxDynamicSharedMemory(const char *name, int64_t dynamic_smem_max = -1);

  /// Puts all kernels on a device now, as CubinKernel::Load. Drivers before CUDA 12.4 cannot list
  /// the kernels: there it does nothing, so load each kernel. Fairlead's own.
  cuda_api::ResultType Load(int device_id = -1) const;

  cuda_api::LibraryHandle GetHandle() const { return library; }

private:
  void Open(const void *image, const std::string &problem);

  cuda_api::LibraryHandle library = nullptr;
};

//===----------------------------------------------------------------------===//
// Implementation
//===----------------------------------------------------------------------===//

namespace inner {

inline std::vector<CUkernel> kernelsOf(CUlibrary library) {
  const CudaDriver &driver = CudaDriver::Get();
  unsigned count = 0;
  if (driver.status != CUDA_SUCCESS || !driver.LibraryGetKernelCount ||
      !driver.LibraryEnumerateKernels ||
      driver.LibraryGetKernelCount(&count, library) != CUDA_SUCCESS)
    return {};
  std::vector<CUkernel> kernels(count);
  if (driver.LibraryEnumerateKernels(kernels.data(), count, library) != CUDA_SUCCESS)
    kernels.clear();
  return kernels;
}

inline std::string missingKernel(CUlibrary library, const char *name) {
  const CudaDriver &driver = CudaDriver::Get();
  std::string text = std::string("no kernel \"") + name + "\" in the image";
  const char *separator = "; it has ";
  for (CUkernel kernel : kernelsOf(library)) {
    const char *other = nullptr;
    if (driver.KernelGetName && driver.KernelGetName(&other, kernel) == CUDA_SUCCESS && other) {
      text += separator;
      text += other;
      separator = ", ";
    }
  }
  return text;
}

/// Where `device_id` says, or where the thread is.
inline CUresult loadKernels(const std::vector<CUkernel> &kernels, int device_id) {
  const CudaDriver &driver = CudaDriver::Get();
  if (driver.status != CUDA_SUCCESS)
    return driver.status;
  if (device_id < 0) {
    CUcontext current = nullptr;
    CUresult status = driver.CtxGetCurrent(&current);
    if (status != CUDA_SUCCESS)
      return status;
    device_id = current ? -1 : 0;
  }
  auto load = [&] {
    CUresult status = CUDA_SUCCESS;
    for (CUkernel kernel : kernels) {
      CUfunction function = nullptr;
      if (status == CUDA_SUCCESS)
        status = driver.KernelGetFunction(&function, kernel);
      if (status == CUDA_SUCCESS && driver.FuncLoad)
        status = driver.FuncLoad(function);
    }
    return status;
  };
  if (device_id < 0)
    return load();
  CudaContextScope scope(device_id);
  return scope.status == CUDA_SUCCESS ? load() : scope.status;
}

/// An image as TVM_FFI_EMBED_CUBIN_FROM_BYTES may be given one.
inline CubinModule moduleOf(const Bytes &bytes) { return CubinModule(bytes); }
inline CubinModule moduleOf(const std::string &bytes) {
  return CubinModule(bytes.data(), bytes.size());
}
template <size_t size> CubinModule moduleOf(const char (&bytes)[size]) {
  return CubinModule(bytes, size);
}
template <size_t size> CubinModule moduleOf(const unsigned char (&bytes)[size]) {
  return CubinModule(bytes, size);
}
template <typename T, typename = std::enable_if_t<std::is_same_v<T, const char *> ||
                                                  std::is_same_v<T, const unsigned char *> ||
                                                  std::is_same_v<T, char *>>>
CubinModule moduleOf(const T &image) {
  return CubinModule(image);
}

} // namespace inner

inline CubinKernel::CubinKernel(cuda_api::LibraryHandle library, const char *name) {
  cuda_api::ResultType result = cuda_api::GetKernel(&kernel, library, name);
  if (result != cuda_api::kSuccess)
    inner::throwCudaError(result, inner::missingKernel(library, name), __FILE__, __LINE__,
                          TVM_FFI_FUNC_SIG);
}

inline cuda_api::ResultType CubinKernel::Load(int device_id) const {
  return inner::loadKernels({kernel}, device_id);
}

inline CubinModule::CubinModule(const void *image, size_t size) {
  inner::DeviceImage bytes(image, size);
  std::string problem = bytes.Problem();
  if (!problem.empty() || !bytes.IsText() || static_cast<const char *>(image)[size - 1] == '\0')
    Open(image, problem);
  else
    Open(std::string(static_cast<const char *>(image), size).c_str(), ""); // ended by NUL
}

inline CubinModule::CubinModule(const char *image) {
  Open(image, image ? "" : "the image is null");
}

inline void CubinModule::Open(const void *image, const std::string &problem) {
  if (!problem.empty())
    inner::throwCudaError(CUDA_ERROR_INVALID_IMAGE, problem, __FILE__, __LINE__, TVM_FFI_FUNC_SIG);
  const inner::CudaDriver &driver = inner::CudaDriver::Get();
  char log[2048] = "";
  CUresult result = driver.status;
  if (result == CUDA_SUCCESS) {
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
    result = driver.LibraryLoadData(&library, image, options, values, 2, nullptr, nullptr, 0);
  }
  if (result != CUDA_SUCCESS)
    inner::throwCudaError(result, log, __FILE__, __LINE__, TVM_FFI_FUNC_SIG);
}

inline CubinKernel CubinModule::GetKernelWithMaxDynamicSharedMemory(const char *name,
                                                                    int64_t dynamic_smem_max) {
  CubinKernel kernel = GetKernel(name);
  int num_devices = 0;
  if (cuda_api::GetDeviceCount(&num_devices) != cuda_api::kSuccess || num_devices == 0)
    return kernel;
  bool granted = false;
  for (int id = 0; id < num_devices; ++id) {
    cuda_api::DeviceHandle device = cuda_api::GetDeviceHandle(id);
    int64_t bytes = dynamic_smem_max;
    if (bytes < 0) {
      int limit = 0, fixed = 0;
      constexpr auto kOptIn = static_cast<cuda_api::DeviceAttrType>(
          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
      if (cuda_api::GetDeviceAttribute(&limit, kOptIn, device) != cuda_api::kSuccess ||
          cuda_api::GetKernelSharedMem(kernel.kernel, fixed, device) != cuda_api::kSuccess)
        continue;
      bytes = std::max(limit - fixed, 0);
    }
    int wanted = static_cast<int>(std::min<int64_t>(bytes, std::numeric_limits<int>::max()));
    granted |=
        cuda_api::SetKernelMaxDynamicSharedMem(kernel.kernel, wanted, device) == cuda_api::kSuccess;
  }
  if (!granted)
    TVM_FFI_THROW(RuntimeError) << "Failed to set dynamic shared memory attribute for any device"
                                << ": kernel \"" << name << "\", " << dynamic_smem_max << " bytes";
  return kernel;
}

inline cuda_api::ResultType CubinModule::Load(int device_id) const {
  return inner::loadKernels(inner::kernelsOf(library), device_id);
}

} // namespace ffi
} // namespace tvm

/// What both ways of embedding share: a module that is loaded at its first use, from any thread,
/// and never unloaded, for kernels may still run when static objects are destroyed.
#define TVM_FFI_INNER_EMBEDDED_CUBIN_(name, make)                                                  \
  namespace {                                                                                      \
  struct EmbedCubinModule_##name {                                                                 \
    static ::tvm::ffi::CubinModule &Global() {                                                     \
      static auto *module = new ::tvm::ffi::CubinModule(make);                                     \
      return *module;                                                                              \
    }                                                                                              \
  };                                                                                               \
  }

/// Declares at namespace scope an image that `fairlead embed`, `embed_cubin=` or the CMake
/// functions put into this library under `name`.
#define TVM_FFI_EMBED_CUBIN(name)                                                                  \
  extern "C" __attribute__((visibility("hidden"))) const char __tvm_ffi__cubin_##name[];           \
  extern "C" __attribute__((visibility("hidden"))) const char __tvm_ffi__cubin_##name##_end[];     \
  TVM_FFI_INNER_EMBEDDED_CUBIN_(                                                                   \
      name, (::tvm::ffi::CubinModule(                                                              \
                __tvm_ffi__cubin_##name,                                                           \
                static_cast<size_t>(__tvm_ffi__cubin_##name##_end - __tvm_ffi__cubin_##name))))

/// The same of bytes at hand: an array (as from bin2c or #embed), a pointer, Bytes or std::string.
#define TVM_FFI_EMBED_CUBIN_FROM_BYTES(name, bytes)                                                \
  TVM_FFI_INNER_EMBEDDED_CUBIN_(name, (::tvm::ffi::inner::moduleOf(bytes)))

/// A kernel of an embedded image; keep it in a static variable.
#define TVM_FFI_EMBED_CUBIN_GET_KERNEL(name, kernel_name)                                          \
  (EmbedCubinModule_##name::Global().GetKernel(kernel_name))

/// Loads an embedded image with all its kernels onto the current device now, as before a graph
/// capture. Fairlead's own.
#define TVM_FFI_EMBED_CUBIN_LOAD(name)                                                             \
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(EmbedCubinModule_##name::Global().Load())

#endif // TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_
