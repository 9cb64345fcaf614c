/// A library of one kernel: what its compiler has to read.
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

void addOne(ffi::TensorView x, ffi::TensorView y) {
  TVM_FFI_CHECK(x.ndim() == 1 && x.size(0) == y.size(0), ValueError) << "shapes differ";
  for (int64_t i = 0; i < x.size(0); ++i)
    static_cast<float *>(y.data_ptr())[i] = static_cast<const float *>(x.data_ptr())[i] + 1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, addOne);
