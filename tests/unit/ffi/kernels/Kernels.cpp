/// A kernel library as an author writes one: functions of TensorViews, exported by macro.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/tvm_ffi.h"

namespace ffi = tvm::ffi;

namespace {

void scale(ffi::TensorView x, double factor, ffi::TensorView y) {
  TVM_FFI_CHECK_EQ(x.ndim(), 1, ValueError) << "x has one dimension";
  TVM_FFI_CHECK(x.dtype() == y.dtype(), TypeError) << "x and y have the same dtype";
  TVM_FFI_CHECK_EQ(x.size(0), y.size(-1), ValueError) << "x and y have the same extent";
  auto *in = static_cast<const float *>(x.data_ptr());
  auto *out = static_cast<float *>(y.data_ptr());
  for (int64_t i = 0; i < x.size(0); ++i)
    out[i] = in[i] * static_cast<float>(factor);
}

ffi::Tensor likeThis(ffi::TensorView x) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());
}

int64_t streamOf(int deviceType, int deviceId) {
  return reinterpret_cast<int64_t>(TVMFFIEnvGetStream(deviceType, deviceId));
}

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale)
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(scale, "y = x * factor");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(like_this, likeThis);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stream_of, streamOf);

// The loader fills these in.
extern "C" TVM_FFI_DLL_EXPORT void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = nullptr;
extern "C" TVM_FFI_DLL_EXPORT void *ffi_test_context_symbol;
void *ffi_test_context_symbol = nullptr;

namespace {
int64_t contextSymbol() { return reinterpret_cast<int64_t>(ffi_test_context_symbol); }

int64_t callImported(const char *name, int64_t x) {
  TVMFFIObjectHandle handle = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, name, &handle));
  auto f = ffi::detail::ObjectUnsafe::ObjectPtrFromUnowned<ffi::FunctionObj>(
      static_cast<TVMFFIObject *>(handle));
  return ffi::Function(f)(x).cast<int64_t>();
}
} // namespace
TVM_FFI_DLL_EXPORT_TYPED_FUNC(context_symbol, contextSymbol)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_imported, callImported)
