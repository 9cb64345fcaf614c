/// Functions that do nothing with their arguments: what remains of a call is the way there.
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

void views(ffi::TensorView, ffi::TensorView, ffi::TensorView) {}
void tensors(ffi::Tensor, ffi::Tensor, ffi::Tensor) {}
void ints(int64_t, int64_t) {}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(views, views);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tensors, tensors);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(ints, ints);
