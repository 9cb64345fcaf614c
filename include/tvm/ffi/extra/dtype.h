/// dtype_trait<T>::value: the DLDataType of a C++ type, for instance to choose an instance of a
/// template.
#ifndef TVM_FFI_EXTRA_DTYPE_H_
#define TVM_FFI_EXTRA_DTYPE_H_

#include <tvm/ffi/c_api.h>

#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#if __has_include(<cuda_fp8.h>)
#include <cuda_fp8.h>
#endif
#if __has_include(<cuda_fp4.h>)
#include <cuda_fp4.h>
#endif
#endif

namespace tvm {
namespace ffi {

/// Specialised for each type that tensors hold.
template <typename T> struct dtype_trait {};

#define TVM_FFI_INNER_DTYPE_(Type, code, bits, lanes)                                              \
  template <> struct dtype_trait<Type> {                                                           \
    static constexpr DLDataType value = {code, bits, lanes};                                       \
  };
TVM_FFI_INNER_DTYPE_(signed char, kDLInt, 8, 1)
TVM_FFI_INNER_DTYPE_(short, kDLInt, 16, 1)
TVM_FFI_INNER_DTYPE_(int, kDLInt, 32, 1)
TVM_FFI_INNER_DTYPE_(long, kDLInt, 8 * sizeof(long), 1)
TVM_FFI_INNER_DTYPE_(long long, kDLInt, 64, 1)
TVM_FFI_INNER_DTYPE_(unsigned char, kDLUInt, 8, 1)
TVM_FFI_INNER_DTYPE_(unsigned short, kDLUInt, 16, 1)
TVM_FFI_INNER_DTYPE_(unsigned int, kDLUInt, 32, 1)
TVM_FFI_INNER_DTYPE_(unsigned long, kDLUInt, 8 * sizeof(long), 1)
TVM_FFI_INNER_DTYPE_(unsigned long long, kDLUInt, 64, 1)
TVM_FFI_INNER_DTYPE_(float, kDLFloat, 32, 1)
TVM_FFI_INNER_DTYPE_(double, kDLFloat, 64, 1)
TVM_FFI_INNER_DTYPE_(bool, kDLBool, 8, 1)
#if defined(__CUDACC__)
TVM_FFI_INNER_DTYPE_(__half, kDLFloat, 16, 1)
TVM_FFI_INNER_DTYPE_(__nv_bfloat16, kDLBfloat, 16, 1)
#if __has_include(<cuda_fp8.h>)
TVM_FFI_INNER_DTYPE_(__nv_fp8_e4m3, kDLFloat8_e4m3fn, 8, 1)
TVM_FFI_INNER_DTYPE_(__nv_fp8_e5m2, kDLFloat8_e5m2, 8, 1)
#if CUDART_VERSION >= 12080
TVM_FFI_INNER_DTYPE_(__nv_fp8_e8m0, kDLFloat8_e8m0fnu, 8, 1)
#endif
#endif
#if __has_include(<cuda_fp4.h>)
TVM_FFI_INNER_DTYPE_(__nv_fp4_e2m1, kDLFloat4_e2m1fn, 4, 1)
TVM_FFI_INNER_DTYPE_(__nv_fp4x2_e2m1, kDLFloat4_e2m1fn, 4, 2)
#endif
#endif
#undef TVM_FFI_INNER_DTYPE_

} // namespace ffi
} // namespace tvm

/// The namespace before 0.1.15.
namespace tvm_ffi {
using ::tvm::ffi::dtype_trait;
} // namespace tvm_ffi
#endif // TVM_FFI_EXTRA_DTYPE_H_
