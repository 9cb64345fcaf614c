/// One kernel, for any number of dimensions: y = max(x, 0).
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

namespace {

void relu(tvm::ffi::TensorView y, tvm::ffi::TensorView x) {
  constexpr DLDataType kFloat32{kDLFloat, 32, 1};
  TVM_FFI_CHECK(x.device().device_type == kDLCPU && y.device().device_type == kDLCPU, ValueError)
      << "x and y must be on the CPU";
  TVM_FFI_CHECK(x.dtype() == kFloat32 && y.dtype() == kFloat32, TypeError)
      << "x and y must be float32, got " << x.dtype() << " and " << y.dtype();
  TVM_FFI_CHECK(x.IsContiguous() && y.IsContiguous(), ValueError) << "x and y must be contiguous";
  TVM_FFI_CHECK_EQ(x.numel(), y.numel(), ValueError) << "x and y differ in size";
  const float *in = static_cast<const float *>(x.data_ptr());
  float *out = static_cast<float *>(y.data_ptr());
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    out[i] = in[i] > 0 ? in[i] : 0;
}

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(relu, relu);
