/// dtype_trait<T>::value: the DLDataType of a C++ type, for instance to choose an instance of a
/// template.
#ifndef TVM_FFI_EXTRA_DTYPE_H_
#define TVM_FFI_EXTRA_DTYPE_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/endian.h>

#include <cstdint>

// Of the toolkits' headers, which whoever uses the types includes.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
struct __nv_fp8_e8m0;
struct __nv_fp4_e2m1;
struct __nv_fp4x2_e2m1;
struct hip_bfloat16;
struct __hip_bfloat16;
struct __hip_fp8_e4m3;
struct __hip_fp8_e4m3_fnuz;
struct __hip_fp8_e5m2;
struct __hip_fp8_e5m2_fnuz;
struct __hip_fp4_e2m1;
struct __hip_fp4x2_e2m1;

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
TVM_FFI_INNER_DTYPE_(::__half, kDLFloat, 16, 1)
TVM_FFI_INNER_DTYPE_(::__nv_bfloat16, kDLBfloat, 16, 1)
TVM_FFI_INNER_DTYPE_(::__nv_fp8_e4m3, kDLFloat8_e4m3fn, 8, 1)
TVM_FFI_INNER_DTYPE_(::__nv_fp8_e5m2, kDLFloat8_e5m2, 8, 1)
TVM_FFI_INNER_DTYPE_(::__nv_fp8_e8m0, kDLFloat8_e8m0fnu, 8, 1)
TVM_FFI_INNER_DTYPE_(::__nv_fp4_e2m1, kDLFloat4_e2m1fn, 4, 1)
TVM_FFI_INNER_DTYPE_(::__nv_fp4x2_e2m1, kDLFloat4_e2m1fn, 4, 2)
TVM_FFI_INNER_DTYPE_(::hip_bfloat16, kDLBfloat, 16, 1)
TVM_FFI_INNER_DTYPE_(::__hip_bfloat16, kDLBfloat, 16, 1)
TVM_FFI_INNER_DTYPE_(::__hip_fp8_e4m3, kDLFloat8_e4m3fn, 8, 1)
TVM_FFI_INNER_DTYPE_(::__hip_fp8_e4m3_fnuz, kDLFloat8_e4m3fnuz, 8, 1)
TVM_FFI_INNER_DTYPE_(::__hip_fp8_e5m2, kDLFloat8_e5m2, 8, 1)
TVM_FFI_INNER_DTYPE_(::__hip_fp8_e5m2_fnuz, kDLFloat8_e5m2fnuz, 8, 1)
TVM_FFI_INNER_DTYPE_(::__hip_fp4_e2m1, kDLFloat4_e2m1fn, 4, 1)
TVM_FFI_INNER_DTYPE_(::__hip_fp4x2_e2m1, kDLFloat4_e2m1fn, 4, 2)
#undef TVM_FFI_INNER_DTYPE_

} // namespace ffi
} // namespace tvm

/// The namespace before 0.1.15.
namespace tvm_ffi {
using ::tvm::ffi::dtype_trait;
} // namespace tvm_ffi
#endif // TVM_FFI_EXTRA_DTYPE_H_
