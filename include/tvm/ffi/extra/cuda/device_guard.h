/// The current device of the thread, set for a scope.
#ifndef TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
#define TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_

#include <tvm/ffi/extra/cuda/base.h>

#include <exception>

#ifndef __CUDACC__
#include <tvm/ffi/extra/cuda/internal/driver.h>
#endif

namespace tvm {
namespace ffi {

// nvcc links CUDA's runtime to what it compiles, so the guard uses that; elsewhere the driver,
// which needs no library at link time. Both set the same thing: the current context is the device's
// primary one.
#ifdef __CUDACC__
inline namespace cuda_runtime {
#else
inline namespace cuda_driver {
#endif

/// Makes a CUDA device the thread's current one until the end of the scope, when it is not already.
/// RuntimeError when there is no such device.
class CUDADeviceGuard {
public:
#ifdef __CUDACC__
  explicit CUDADeviceGuard(int device) {
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&original));
    if (device != original) {
      TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(device));
      changed = true;
    }
  }
#else
  explicit CUDADeviceGuard(int device) : scope(device) {
    if (scope.status != CUDA_SUCCESS)
      inner::throwCudaError(scope.status, "cuda:" + std::to_string(device), __FILE__, __LINE__,
                            TVM_FFI_FUNC_SIG);
  }
#endif

  CUDADeviceGuard(const CUDADeviceGuard &) = delete;
  CUDADeviceGuard &operator=(const CUDADeviceGuard &) = delete;

  /// Throws when the device cannot be restored, unless another error is on its way.
  ~CUDADeviceGuard() noexcept(false) {
    bool leaving = std::uncaught_exceptions() > pending;
#ifdef __CUDACC__
    if (!changed)
      return;
    cudaError_t error = cudaSetDevice(original);
    if (!leaving)
      TVM_FFI_CHECK_CUDA_ERROR(error);
#else
    CUresult error = scope.Restore();
    if (error != CUDA_SUCCESS && !leaving)
      inner::throwCudaError(error, "", __FILE__, __LINE__, TVM_FFI_FUNC_SIG);
#endif
  }

private:
  int pending = std::uncaught_exceptions();
#ifdef __CUDACC__
  int original = -1;
  bool changed = false;
#else
  inner::CudaContextScope scope;
#endif
};

} // inline namespace
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
