/// The kernel library for CUDA. The functions are those of scale_cpu.cpp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <tvm/ffi/extra/cuda/device_guard.h>

#include "kernel_utils.h"

namespace {

// [kernel]
template <typename T>
__global__ void scaleKernel(T *out, const T *in, const T *bias, float factor, int64_t n) {
  int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n)
    out[i] = static_cast<T>(static_cast<float>(in[i]) * factor +
                            (bias ? static_cast<float>(bias[i]) : 0.0f));
}
// [kernel]

template <typename T>
void launch(TensorView y, TensorView x, const void *bias, double factor, cudaStream_t stream) {
  int64_t n = x.numel();
  if (n == 0)
    return; // a grid of no blocks is an error
  unsigned threads = 256;
  auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
  scaleKernel<T><<<blocks, threads, 0, stream>>>(
      static_cast<T *>(y.data_ptr()), static_cast<const T *>(x.data_ptr()),
      static_cast<const T *>(bias), static_cast<float>(factor), n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

/// y = x * factor + bias, with a factor of 1 and no bias where those are None.
void scaleAdd(TensorView y, TensorView x, Optional<TensorView> bias, Optional<double> factor) {
  // 1. Validate.
  CHECK_DEVICE_TYPE(x, kDLCUDA);
  CHECK_CONTIGUOUS(x);
  CHECK_CONTIGUOUS(y);
  CHECK_SAME_KIND(x, y);
  const void *added = nullptr;
  if (bias.has_value()) {
    CHECK_CONTIGUOUS(bias.value());
    CHECK_SAME_KIND(x, bias.value());
    added = bias.value().data_ptr();
  }
  // 2. The device of the tensors, and the stream that the caller works on.
  ffi::CUDADeviceGuard guard(x.device().device_id);
  auto stream = static_cast<cudaStream_t>(currentStream(x.device()));
  // 3. Dispatch on the element type and launch.
  double by = factor.value_or(1.0);
  if (x.dtype() == kFloat32)
    launch<float>(y, x, added, by, stream);
  else if (x.dtype() == kFloat16)
    launch<__half>(y, x, added, by, stream);
  else if (x.dtype() == kBFloat16)
    launch<__nv_bfloat16>(y, x, added, by, stream);
  else
    TVM_FFI_THROW(TypeError) << "x must be float32, float16 or bfloat16, got " << x.dtype();
}

void scale(TensorView y, TensorView x, double factor) {
  scaleAdd(y, x, Optional<TensorView>(), factor);
}

/// x * factor as a new tensor of the caller's framework.
Tensor scaled(TensorView x, double factor) {
  Tensor y = allocateLike(x);
  scale(y, x, factor);
  return y;
}

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale_add, scaleAdd);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scaled, scaled);
