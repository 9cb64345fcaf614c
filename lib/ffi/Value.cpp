/// Owned values: of views, text and bytes.
#include "Boundary.h"
#include "tvm/ffi/any.h"
#include "tvm/ffi/function.h"
#include "tvm/ffi/reflection/registry.h"
#include "tvm/ffi/string.h"

using namespace tvm::ffi;

int TVMFFIAnyViewToOwnedAny(const TVMFFIAny *any_view, TVMFFIAny *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(any_view, "TVMFFIAnyViewToOwnedAny", "any_view");
  requireArgument(out, "TVMFFIAnyViewToOwnedAny", "out");
  TVMFFIAny value = *any_view;
  if (inner::isObject(&value) || value.type_index == kTVMFFIRawStr ||
      value.type_index == kTVMFFIByteArrayPtr || value.type_index == kTVMFFIObjectRValueRef)
    requireArgument(value.v_ptr, "TVMFFIAnyViewToOwnedAny", "any_view->v_ptr");
  if (value.type_index == kTVMFFIByteArrayPtr) // says what is wrong with it
    viewOf(static_cast<const TVMFFIByteArray *>(value.v_ptr));
  inner::ownView(&value);
  *out = value;
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIStringFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(out, "TVMFFIStringFromByteArray", "out");
  TypeTraits<String>::MoveToAny(String(viewOf(input)), out);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(out, "TVMFFIBytesFromByteArray", "out");
  TypeTraits<Bytes>::MoveToAny(Bytes(bytesOf(viewOf(input))), out);
  TVM_FFI_SAFE_CALL_END();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.String", [](String text) { return text; })
      .def("ffi.Bytes", [](Bytes bytes) { return bytes; });
}
