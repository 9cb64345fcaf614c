/// The kernel library for the CPU.
#include "kernel_utils.h"

namespace {

template <typename T> void scaleLoop(TensorView y, TensorView x, const T *bias, double factor) {
  T *out = static_cast<T *>(y.data_ptr());
  const T *in = static_cast<const T *>(x.data_ptr());
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    out[i] = static_cast<T>(in[i] * factor) + (bias ? bias[i] : T(0));
}

/// y = x * factor + bias, with a factor of 1 and no bias where those are None.
void scaleAdd(TensorView y, TensorView x, Optional<TensorView> bias, Optional<double> factor) {
  // 1. Validate.
  CHECK_DEVICE_TYPE(x, kDLCPU);
  CHECK_CONTIGUOUS(x);
  CHECK_CONTIGUOUS(y);
  CHECK_SAME_KIND(x, y);
  const void *added = nullptr;
  if (bias.has_value()) {
    CHECK_CONTIGUOUS(bias.value());
    CHECK_SAME_KIND(x, bias.value());
    added = bias.value().data_ptr();
  }
  // 2. Dispatch on the element type and run.
  double by = factor.value_or(1.0);
  if (x.dtype() == kFloat32)
    scaleLoop(y, x, static_cast<const float *>(added), by);
  else if (x.dtype() == kFloat64)
    scaleLoop(y, x, static_cast<const double *>(added), by);
  else
    TVM_FFI_THROW(TypeError) << "x must be float32 or float64, got " << x.dtype();
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

// [export]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale_add, scaleAdd);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scaled, scaled);
// [export]
