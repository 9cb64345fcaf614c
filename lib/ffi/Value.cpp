/// Owned values: of views, text and bytes.
#include "Boundary.h"
#include "tvm/ffi/any.h"
#include "tvm/ffi/function.h"
#include "tvm/ffi/reflection/registry.h"
#include "tvm/ffi/string.h"

using namespace tvm::ffi;

int TVMFFIAnyViewToOwnedAny(const TVMFFIAny *any_view, TVMFFIAny *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVMFFIAny value = *any_view;
  inner::ownView(&value);
  *out = value;
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIStringFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TypeTraits<String>::MoveToAny(String(viewOf(input)), out);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TypeTraits<Bytes>::MoveToAny(Bytes(bytesOf(viewOf(input))), out);
  TVM_FFI_SAFE_CALL_END();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.String", [](String text) { return text; })
      .def("ffi.Bytes", [](Bytes bytes) { return bytes; });
}
