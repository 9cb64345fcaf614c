/// The CUDA driver's entry points, found at run time: nothing that uses them links a CUDA library,
/// and one binary serves every driver from CUDA 12.0 on.
#ifndef TVM_FFI_EXTRA_CUDA_INTERNAL_DRIVER_H_
#define TVM_FFI_EXTRA_CUDA_INTERNAL_DRIVER_H_

#include <dlfcn.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/cuda/internal/driver_types.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace tvm {
namespace ffi {
namespace inner {

/// The driver as this library sees it, opened once from any thread. Each library has its own table;
/// they lead to one driver.
struct CudaDriver {
  CUresult status = CUDA_ERROR_NO_DEVICE; ///< CUDA_SUCCESS when the driver can be used
  std::string reason;                     ///< why it cannot
  int num_devices = 0;

  // Without the "cu", for cuda.h makes macros of some of these names.
  using Log = CUjit_option;
  CUresult (*Init)(unsigned) = nullptr;
  CUresult (*GetErrorName)(CUresult, const char **) = nullptr;
  CUresult (*GetErrorString)(CUresult, const char **) = nullptr;
  CUresult (*DeviceGetCount)(int *) = nullptr;
  CUresult (*DeviceGet)(CUdevice *, int) = nullptr;
  CUresult (*DeviceGetAttribute)(int *, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*DevicePrimaryCtxRetain)(CUcontext *, CUdevice) = nullptr;
  CUresult (*CtxGetCurrent)(CUcontext *) = nullptr;
  CUresult (*CtxSetCurrent)(CUcontext) = nullptr;
  CUresult (*LibraryLoadData)(CUlibrary *, const void *, Log *, void **, unsigned, int *, void **,
                              unsigned) = nullptr;
  CUresult (*LibraryUnload)(CUlibrary) = nullptr;
  CUresult (*LibraryGetKernel)(CUkernel *, CUlibrary, const char *) = nullptr;
  CUresult (*KernelGetFunction)(CUfunction *, CUkernel) = nullptr;
  CUresult (*KernelGetAttribute)(int *, CUfunction_attribute, CUkernel, CUdevice) = nullptr;
  CUresult (*KernelSetAttribute)(CUfunction_attribute, int, CUkernel, CUdevice) = nullptr;
  CUresult (*LaunchKernelEx)(const CUlaunchConfig *, CUfunction, void **, void **) = nullptr;
  // Younger than CUDA 12.0; null where the driver lacks them.
  CUresult (*FuncLoad)(CUfunction) = nullptr;
  CUresult (*KernelGetName)(const char **, CUkernel) = nullptr;
  CUresult (*LibraryGetKernelCount)(unsigned *, CUlibrary) = nullptr;
  CUresult (*LibraryEnumerateKernels)(CUkernel *, unsigned, CUlibrary) = nullptr;

  /// Opens `$FAIRLEAD_LIBCUDA`, else libcuda.so.1, at the first call. Thread-safe; never throws.
  /// Never closed: kernels may be launched from static destructors.
  __attribute__((visibility("hidden"))) static const CudaDriver &Get() {
    static const CudaDriver *driver = new CudaDriver(Open());
    return *driver;
  }

  /// Name and text of an error, also when there is no driver to ask.
  __attribute__((visibility("hidden"))) static void Describe(CUresult error, const char **name,
                                                             const char **text) {
    const CudaDriver &driver = Get();
    *name = *text = nullptr;
    if (driver.GetErrorName && driver.GetErrorName(error, name) != CUDA_SUCCESS)
      *name = nullptr;
    if (driver.GetErrorString && driver.GetErrorString(error, text) != CUDA_SUCCESS)
      *text = nullptr;
    if (!*name)
      *name = error == CUDA_ERROR_NO_DEVICE       ? "CUDA_ERROR_NO_DEVICE"
              : error == CUDA_ERROR_INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE"
              : error == CUDA_ERROR_NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED"
                                                  : "CUDA_ERROR_UNKNOWN";
    if (driver.status != CUDA_SUCCESS && error == driver.status)
      *text = driver.reason.c_str();
    else if (!*text)
      *text =
          error == CUDA_ERROR_INVALID_IMAGE ? "device kernel image is invalid" : "unknown error";
  }

  /// The primary context of a device, retained at the first call for it and never released.
  __attribute__((visibility("hidden"))) static CUresult PrimaryContext(int device, CUcontext *out) {
    const CudaDriver &driver = Get();
    if (driver.status != CUDA_SUCCESS)
      return driver.status;
    if (device < 0 || device >= driver.num_devices)
      return CUDA_ERROR_INVALID_DEVICE;
    static auto *contexts = new std::vector<std::atomic<CUcontext>>(driver.num_devices);
    static std::mutex *mutex = new std::mutex;
    std::atomic<CUcontext> &slot = (*contexts)[device];
    CUcontext context = slot.load(std::memory_order_acquire);
    if (!context) {
      std::lock_guard<std::mutex> lock(*mutex);
      context = slot.load(std::memory_order_relaxed);
      CUdevice handle;
      CUresult status = context ? CUDA_SUCCESS : driver.DeviceGet(&handle, device);
      if (status == CUDA_SUCCESS && !context)
        status = driver.DevicePrimaryCtxRetain(&context, handle);
      if (status != CUDA_SUCCESS)
        return status;
      slot.store(context, std::memory_order_release);
    }
    *out = context;
    return CUDA_SUCCESS;
  }

private:
  using GetProcAddress = CUresult (*)(const char *, void **, int, uint64_t, int *);

  static CudaDriver Open() {
    CudaDriver driver;
    const char *path = std::getenv("FAIRLEAD_LIBCUDA");
    if (!path || !*path)
      path = "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *error = dlerror();
      driver.reason = std::string("the CUDA driver cannot be opened: ") + (error ? error : path);
      return driver;
    }
    void *symbol = dlsym(library, "cuGetProcAddress_v2");
    const char *missing =
        symbol ? driver.Fill(reinterpret_cast<GetProcAddress>(symbol)) : "cuGetProcAddress_v2";
    if (missing) {
      driver.reason =
          std::string(path) + " has no " + missing + ": the CUDA driver is older than CUDA 12.0";
      return driver;
    }
    driver.status = driver.Init(0);
    if (driver.status == CUDA_SUCCESS)
      driver.status = driver.DeviceGetCount(&driver.num_devices);
    if (driver.status != CUDA_SUCCESS) {
      const char *text = nullptr;
      driver.GetErrorString(driver.status, &text);
      driver.reason = text ? text : "the CUDA driver cannot be initialized";
      driver.num_devices = 0;
    }
    return driver;
  }

  /// The name of the first entry point that the driver lacks, else null.
  const char *Fill(GetProcAddress get) {
#define TVM_FFI_INNER_FIND_(name, version) Find(get, "cu" #name, version, &name)
#define TVM_FFI_INNER_NEED_(name)                                                                  \
  if (!TVM_FFI_INNER_FIND_(name, 12000))                                                           \
  return "cu" #name
    TVM_FFI_INNER_NEED_(Init);
    TVM_FFI_INNER_NEED_(GetErrorName);
    TVM_FFI_INNER_NEED_(GetErrorString);
    TVM_FFI_INNER_NEED_(DeviceGetCount);
    TVM_FFI_INNER_NEED_(DeviceGet);
    TVM_FFI_INNER_NEED_(DeviceGetAttribute);
    TVM_FFI_INNER_NEED_(DevicePrimaryCtxRetain);
    TVM_FFI_INNER_NEED_(CtxGetCurrent);
    TVM_FFI_INNER_NEED_(CtxSetCurrent);
    TVM_FFI_INNER_NEED_(LibraryLoadData);
    TVM_FFI_INNER_NEED_(LibraryUnload);
    TVM_FFI_INNER_NEED_(LibraryGetKernel);
    TVM_FFI_INNER_NEED_(KernelGetFunction);
    TVM_FFI_INNER_NEED_(KernelGetAttribute);
    TVM_FFI_INNER_NEED_(KernelSetAttribute);
    TVM_FFI_INNER_NEED_(LaunchKernelEx);
    TVM_FFI_INNER_FIND_(FuncLoad, 12040);
    TVM_FFI_INNER_FIND_(KernelGetName, 12030);
    TVM_FFI_INNER_FIND_(LibraryGetKernelCount, 12040);
    TVM_FFI_INNER_FIND_(LibraryEnumerateKernels, 12040);
#undef TVM_FFI_INNER_NEED_
#undef TVM_FFI_INNER_FIND_
    return nullptr;
  }

  template <typename Function>
  static bool Find(GetProcAddress get, const char *name, int version, Function *out) {
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    constexpr uint64_t kFlags = 2;
#else
    constexpr uint64_t kFlags = 0;
#endif
    void *address = nullptr;
    if (get(name, &address, version, kFlags, nullptr) != CUDA_SUCCESS || !address)
      return false;
    *out = reinterpret_cast<Function>(address);
    return true;
  }
};

/// Makes a context current on this thread for the scope's lifetime, when it is not already.
/// `status` tells whether it could be.
class CudaContextScope {
public:
  explicit CudaContextScope(int device) {
    status = CudaDriver::PrimaryContext(device, &wanted);
    const CudaDriver &driver = CudaDriver::Get();
    if (status == CUDA_SUCCESS)
      status = driver.CtxGetCurrent(&previous);
    if (status == CUDA_SUCCESS && previous != wanted) {
      status = driver.CtxSetCurrent(wanted);
      changed = status == CUDA_SUCCESS;
    }
  }
  CudaContextScope(const CudaContextScope &) = delete;
  CudaContextScope &operator=(const CudaContextScope &) = delete;
  ~CudaContextScope() { Restore(); }

  CUresult Restore() {
    if (!changed)
      return CUDA_SUCCESS;
    changed = false;
    return CudaDriver::Get().CtxSetCurrent(previous);
  }

  CUresult status;

private:
  CUcontext wanted = nullptr, previous = nullptr;
  bool changed = false;
};

/// Throws RuntimeError `CUDA Error: <name> (<code>): <text>`, and what is known besides.
[[noreturn]] __attribute__((cold, noinline, visibility("hidden"))) inline void
throwCudaError(CUresult error, const std::string &detail, const char *file, int line,
               const char *function) {
  const char *name, *text;
  CudaDriver::Describe(error, &name, &text);
  throwAt("RuntimeError", file, line, function,
          concat("CUDA Error: ", name, " (", std::to_string(static_cast<int>(error)), "): ", text,
                 detail.empty() ? "" : ": ", detail));
}

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_CUDA_INTERNAL_DRIVER_H_
