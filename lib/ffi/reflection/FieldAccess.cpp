/// Getters and setters for the fields of classes that a language defines at run time.
#include "FieldAccess.h"

#include "tvm/ffi/device.h"
#include "tvm/ffi/dtype.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

/// The language's own conversion of a value before it is stored: 0 and an owned result, else -1
/// and the thread's error.
using FieldConverter = int (*)(void *converter, const TVMFFIAny *value, TVMFFIAny *result);

/// Calls `action` with a null pointer to the C++ type that fields of that type index store.
template <typename Action> auto withFieldType(int64_t typeIndex, const char *user, Action action) {
  switch (typeIndex) {
  case kTVMFFIAny:
  case kTVMFFINone:
    return action(static_cast<Any *>(nullptr));
  case kTVMFFIInt:
    return action(static_cast<int64_t *>(nullptr));
  case kTVMFFIBool:
    return action(static_cast<bool *>(nullptr));
  case kTVMFFIFloat:
    return action(static_cast<double *>(nullptr));
  case kTVMFFIOpaquePtr:
    return action(static_cast<void **>(nullptr));
  case kTVMFFIDataType:
    return action(static_cast<DLDataType *>(nullptr));
  case kTVMFFIDevice:
    return action(static_cast<DLDevice *>(nullptr));
  default:
    if (typeIndex < kTVMFFIStaticObjectBegin)
      TVM_FFI_THROW(ValueError) << "Unsupported field type index for " << user << ": " << typeIndex;
    return action(static_cast<ObjectRef *>(nullptr));
  }
}

int64_t makeFieldGetter(int64_t typeIndex) {
  return withFieldType(typeIndex, "getter", [](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    TVMFFIFieldGetter getter = &inner::getField<T>;
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(getter));
  });
}

Function makeFieldSetter(int64_t typeIndex, int64_t converter, int64_t convert) {
  auto *object = reinterpret_cast<void *>(static_cast<intptr_t>(converter));
  auto call = reinterpret_cast<FieldConverter>(static_cast<intptr_t>(convert));
  if (!call)
    TVM_FFI_THROW(ValueError) << "ffi.MakeFieldSetter: the conversion is a null pointer";
  return Function::FromTyped([typeIndex, object, call](void *field, AnyView value) {
    TVMFFIAny raw = value.CopyToTVMFFIAny();
    Any converted;
    TVM_FFI_CHECK_SAFE_CALL(call(object, &raw, reinterpret_cast<TVMFFIAny *>(&converted)));
    // A value that the conversion passed through is still a view.
    Any owned = AnyView(converted);
    withFieldType(typeIndex, "setter", [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      TVMFFIAny view = AnyView(owned).CopyToTVMFFIAny();
      TVM_FFI_CHECK_SAFE_CALL(inner::setField<T>(field, &view));
    });
  });
}

} // namespace

AnyView tvm::ffi::findTypeAttr(const char *name, int32_t typeIndex, bool inherit) {
  TVMFFIByteArray bytes = reflection::AsByteArray(name);
  if (!TVMFFIGetTypeAttrColumn(&bytes))
    return AnyView();
  reflection::TypeAttrColumn column{std::string_view(name)};
  AnyView value = column[typeIndex];
  if (!inherit)
    return value;
  const TVMFFITypeInfo *type = TVMFFIGetTypeInfo(typeIndex);
  for (int32_t i = type->type_depth; value == nullptr && i-- > 0;)
    value = column[type->type_ancestors[i]->type_index];
  return value;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.MakeFieldGetter", makeFieldGetter)
      .def("ffi.MakeFieldSetter", makeFieldSetter);
}
