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

  // The size of the header. Languages add the fields of their own classes.
  TVMFFITypeMetadata object{};
  object.total_size = sizeof(TVMFFIObject);
  object.structural_eq_hash_kind = kTVMFFISEqHashKindUnsupported;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(kTVMFFIObject, &object));
  ObjectDef<ModuleObj>(init(false)).def_ro("imports_", ModuleObj::InternalUnsafe::importsField());

  inner::registerConvert<ObjectRef>(kTVMFFIObject);
  inner::registerConvert<String>(kTVMFFIStr);
  inner::registerConvert<Bytes>(kTVMFFIBytes);
  inner::registerConvert<Error>(kTVMFFIError);
  inner::registerConvert<Function>(kTVMFFIFunction);
  inner::registerConvert<Shape>(kTVMFFIShape);
  inner::registerConvert<Tensor>(kTVMFFITensor);
  inner::registerConvert<Array<Any>>(kTVMFFIArray);
  inner::registerConvert<List<Any>>(kTVMFFIList);
  inner::registerConvert<Map<Any, Any>>(kTVMFFIMap);
  inner::registerConvert<Dict<Any, Any>>(kTVMFFIDict);
}
