// A library of one kernel as a user of nvcc writes it, under all warnings.
#include <tvm/ffi/tvm_ffi.h>

__global__ void addOne(float *x, int64_t n) {
  int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += 1;
}

void add_one(tvm::ffi::TensorView x) {
  int64_t n = x.numel();
  addOne<<<(n + 255) / 256, 256>>>(static_cast<float *>(x.data_ptr()), n);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one)
