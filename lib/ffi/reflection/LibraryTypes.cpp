/// The library's own classes as languages see them, and conversions to its types.
#include "../ModuleInternal.h"
#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/container/shape.h"
#include "tvm/ffi/container/tensor.h"
#include "tvm/ffi/enum.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace {

/// Values that are stored as Object are converted to Ref.
template <typename Ref> void registerConversion(int32_t typeIndex) {
  inner::registerTypeAttr(
      typeIndex, type_attr::kConvert,
      Function::FromTyped([](AnyView value) -> Any { return Any(value.cast<Ref>()); }));
}

} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  EnsureTypeAttrColumn(type_attr::kEnumState);
  EnsureTypeAttrColumn(type_attr::kInit);
  ObjectDef<EnumStateObj>()
      .def_ro("entries", &EnumStateObj::entries, init(false),
              "Enum singletons in registration order.")
      .def_ro("indexes", &EnumStateObj::indexes, init(false),
              "Canonical integer and string indices to enum singletons.")
      .def_ro("attrs", &EnumStateObj::attrs, init(false),
              "Extensible-attribute columns keyed by enum singleton.")
      .def(init<>());
  ObjectDef<EnumObj>(init(false))
      .def_ro("_int_index", &EnumObj::_int_index, AttachFieldFlag::SEqHashIgnore(),
              "Canonical integer index.")
      .def_ro("_str_index", &EnumObj::_str_index, "Canonical string index.");
  ObjectDef<IntEnumObj>(init(false))
      .def_ro("value", &IntEnumObj::_int_index, init(false), AttachFieldFlag::SEqHashIgnore(),
              "Canonical integer index.")
      .def_convert<IntEnum>();
  ObjectDef<StrEnumObj>(init(false))
      .def_ro("value", &StrEnumObj::_str_index, init(false), AttachFieldFlag::SEqHashIgnore(),
              "Canonical string index.")
      .def_convert<StrEnum>();

  ObjectDef<ModuleObj>(init(false)).def_ro("imports_", ModuleObj::InternalUnsafe::importsField());

  registerConversion<ObjectRef>(kTVMFFIObject);
  registerConversion<String>(kTVMFFIStr);
  registerConversion<Bytes>(kTVMFFIBytes);
  registerConversion<Error>(kTVMFFIError);
  registerConversion<Function>(kTVMFFIFunction);
  registerConversion<Shape>(kTVMFFIShape);
  registerConversion<Tensor>(kTVMFFITensor);
  registerConversion<Array<Any>>(kTVMFFIArray);
  registerConversion<List<Any>>(kTVMFFIList);
  registerConversion<Map<Any, Any>>(kTVMFFIMap);
  registerConversion<Dict<Any, Any>>(kTVMFFIDict);
}
