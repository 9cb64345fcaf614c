/// Helpers of this example's kernels: checks with clear messages, the stream, allocation and
/// dispatch on the element type.
#ifndef EXAMPLES_KERNEL_LIBRARY_KERNEL_UTILS_H_
#define EXAMPLES_KERNEL_LIBRARY_KERNEL_UTILS_H_

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

namespace ffi = tvm::ffi;
using ffi::Optional;
using ffi::Tensor;
using ffi::TensorView;

// [checks]
#define CHECK_DEVICE_TYPE(x, type)                                                                 \
  TVM_FFI_CHECK((x).device().device_type == (type), ValueError) << #x " must be on " #type
#define CHECK_CONTIGUOUS(x)                                                                        \
  TVM_FFI_CHECK((x).IsContiguous(), ValueError) << #x " must be contiguous"
#define CHECK_DIM(d, x)                                                                            \
  TVM_FFI_CHECK((x).ndim() == (d), ValueError) << #x " must have " #d " dimension(s)"
#define CHECK_SAME_DEVICE(a, b)                                                                    \
  TVM_FFI_CHECK((a).device().device_type == (b).device().device_type &&                            \
                    (a).device().device_id == (b).device().device_id,                              \
                ValueError)                                                                        \
      << #a " and " #b " must be on the same device"
#define CHECK_SAME_KIND(a, b)                                                                      \
  do {                                                                                             \
    CHECK_SAME_DEVICE(a, b);                                                                       \
    TVM_FFI_CHECK((a).dtype() == (b).dtype(), ValueError)                                          \
        << #a " is " << (a).dtype() << ", but " #b " is " << (b).dtype();                          \
    TVM_FFI_CHECK_EQ((a).numel(), (b).numel(), ValueError) << #a " and " #b " differ in size";     \
  } while (0)
// [checks]

constexpr DLDataType kFloat16{kDLFloat, 16, 1};
constexpr DLDataType kFloat32{kDLFloat, 32, 1};
constexpr DLDataType kFloat64{kDLFloat, 64, 1};
constexpr DLDataType kBFloat16{kDLBfloat, 16, 1};

/// The stream that the caller's framework works on, such as torch.cuda.current_stream().
inline void *currentStream(DLDevice device) {
  return TVMFFIEnvGetStream(device.device_type, device.device_id);
}

/// A tensor of the caller's framework. Prefer outputs that the caller allocates: this is for
/// results whose shape only the kernel knows.
inline Tensor allocateLike(TensorView x) {
  return Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());
}

#endif // EXAMPLES_KERNEL_LIBRARY_KERNEL_UTILS_H_
