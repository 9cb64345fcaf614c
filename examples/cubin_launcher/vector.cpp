/// Host side of kernels.cu: checks, and launches of the embedded image.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

TVM_FFI_EMBED_CUBIN(kernels);

namespace {

void checkVector(ffi::TensorView x, const char *name) {
  TVM_FFI_CHECK(x.device().device_type == kDLCUDA, ValueError) << name << " must be a CUDA tensor";
  TVM_FFI_CHECK((x.dtype() == DLDataType{kDLFloat, 32, 1}), TypeError)
      << name << " must be float32, got " << x.dtype();
  TVM_FFI_CHECK(x.IsContiguous(), ValueError) << name << " must be contiguous";
}

void launch(ffi::CubinKernel &kernel, ffi::TensorView x, ffi::TensorView y, unsigned blocks,
            unsigned shared) {
  TVM_FFI_CHECK(x.device().device_id == y.device().device_id, ValueError)
      << "x and y must be on the same device";
  // The default stream belongs to the current device.
  ffi::CUDADeviceGuard guard(x.device().device_id);
  auto stream = static_cast<CUstream>(TVMFFIEnvGetStream(kDLCUDA, x.device().device_id));
  void *in = x.data_ptr(), *out = y.data_ptr();
  int n = static_cast<int>(x.numel());
  void *args[] = {&in, &out, &n};
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(args, ffi::dim3(blocks), ffi::dim3(256), stream, shared));
}

void addOne(ffi::TensorView x, ffi::TensorView y) {
  static ffi::CubinKernel kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "add_one");
  checkVector(x, "x");
  checkVector(y, "y");
  TVM_FFI_CHECK_EQ(x.numel(), y.numel(), ValueError) << "x and y differ in size";
  if (x.numel() > 0)
    launch(kernel, x, y, static_cast<unsigned>((x.numel() + 255) / 256), 0);
}

void sum(ffi::TensorView x, ffi::TensorView y) {
  static ffi::CubinKernel kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "sum");
  checkVector(x, "x");
  checkVector(y, "y");
  TVM_FFI_CHECK_EQ(y.numel(), 1, ValueError) << "y holds the sum alone";
  launch(kernel, x, y, 1, 256 * sizeof(float));
}

/// Loads the kernels onto the current device, ahead of a graph capture.
void load() { TVM_FFI_EMBED_CUBIN_LOAD(kernels); }

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, addOne);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load, load);
