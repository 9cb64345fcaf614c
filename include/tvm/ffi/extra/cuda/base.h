/// What the CUDA headers share. TVM_FFI_CHECK_CUDA_ERROR needs <cuda_runtime.h>; the rest needs no
/// toolkit.
#ifndef TVM_FFI_EXTRA_CUDA_BASE_H_
#define TVM_FFI_EXTRA_CUDA_BASE_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/cuda/internal/driver_types.h>

/// Runs a call of CUDA's runtime API; RuntimeError `CUDA Runtime Error: <name> (<code>): <text>`
/// when it fails.
#define TVM_FFI_CHECK_CUDA_ERROR(stmt)                                                             \
  do {                                                                                             \
    cudaError_t tvm_ffi_cuda_error = (stmt);                                                       \
    if (TVM_FFI_PREDICT_FALSE(tvm_ffi_cuda_error != cudaSuccess))                                  \
      TVM_FFI_THROW(RuntimeError) << "CUDA Runtime Error: "                                        \
                                  << cudaGetErrorName(tvm_ffi_cuda_error) << " ("                  \
                                  << static_cast<int>(tvm_ffi_cuda_error)                          \
                                  << "): " << cudaGetErrorString(tvm_ffi_cuda_error);              \
  } while (0)

namespace tvm {
namespace ffi {

/// Blocks of a grid, threads of a block, or blocks of a cluster.
struct dim3 {
  unsigned int x; ///< the dimension whose index changes fastest
  unsigned int y;
  unsigned int z;

  constexpr dim3() : x(1), y(1), z(1) {}
  constexpr explicit dim3(unsigned int x) : x(x), y(1), z(1) {}
  constexpr dim3(unsigned int x, unsigned int y) : x(x), y(y), z(1) {}
  constexpr dim3(unsigned int x, unsigned int y, unsigned int z) : x(x), y(y), z(z) {}
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_CUDA_BASE_H_
