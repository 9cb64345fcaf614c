/// Enums whose values are objects, known by number and by name in every language.
#ifndef TVM_FFI_ENUM_H_
#define TVM_FFI_ENUM_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <utility>

namespace tvm {
namespace ffi {

class Enum;

/// One enum's values and what is attached to them. The type's attribute `__ffi_enum__` holds it.
class EnumStateObj : public Object {
public:
  /// The values, in the order of their definition.
  List<ObjectRef> entries;
  /// The values by number and by name.
  Dict<Any, ObjectRef> indexes;
  /// By attribute: what each value has.
  Dict<String, Dict<ObjectRef, Any>> attrs;

  static constexpr bool _type_final = true;
  TVM_FFI_INNER_DECLARE_LIBRARY_OBJECT_("ffi.EnumState", EnumStateObj, Object);
};

/// A reference to an EnumStateObj; never null.
class EnumState : public ObjectRef {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(EnumState, ObjectRef, EnumStateObj);
};

namespace type_attr {
inline constexpr reflection::AttrKey<EnumState> kEnumState{"__ffi_enum__"};
} // namespace type_attr

/// A value of an enum: one object each, so that equal values are the same object.
class EnumObj : public Object {
public:
  int64_t _int_index = 0;
  String _str_index;

  EnumObj() = default;
  EnumObj(int64_t int_index, String str_index)
      : _int_index(int_index), _str_index(std::move(str_index)) {}

  /// What is registered of an enum, empty where no value is.
  template <typename EnumType> static std::optional<EnumState> State() {
    return StateOf(EnumType::RuntimeTypeIndex());
  }
  static std::optional<EnumState> StateOf(int32_t type_index) {
    return type_attr::kEnumState.ValueFrom(
        reflection::TypeAttrColumn(type_attr::kEnumState)[type_index]);
  }
  /// The value of that number or name; KeyError where there is none.
  template <typename EnumType> static inline Enum Get(const Any &index);
  // The same, for callers that know what they ask by; ValueError where there is none.
  template <typename EnumType> static Enum _GetByIntIndex(int64_t index);
  template <typename EnumType> static Enum _GetByStrIndex(const String &index);
  static Enum _GetByIntIndex(int32_t type_index, int64_t index);
  static Enum _GetByStrIndex(int32_t type_index, const String &index);

  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TVM_FFI_INNER_DECLARE_LIBRARY_OBJECT_("ffi.Enum", EnumObj, Object);
};

/// A reference to an enum's value; never null.
class Enum : public ObjectRef {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Enum, ObjectRef, EnumObj);
};

template <typename EnumType> inline Enum EnumObj::Get(const Any &index) {
  if (std::optional<EnumState> state = State<EnumType>()) {
    auto it = (*state)->indexes.find(index);
    if (it != (*state)->indexes.end())
      return (*it).second.template as_or_throw<Enum>();
  }
  if (std::optional<String> name = index.as<String>())
    TVM_FFI_THROW(KeyError) << "Enum `" << EnumType::_type_key << "` has no value named `" << *name
                            << "`";
  TVM_FFI_THROW(KeyError) << "Enum `" << EnumType::_type_key << "` has no value "
                          << index.cast<int64_t>();
  TVM_FFI_UNREACHABLE();
}

namespace inner {
template <typename Index> Enum enumValue(int32_t typeIndex, const Index &index) {
  if (std::optional<EnumState> state = EnumObj::StateOf(typeIndex))
    if (std::optional<ObjectRef> value = (*state)->indexes.Get(Any(index)))
      return std::move(*value).template as_or_throw<Enum>();
  TVM_FFI_THROW(ValueError) << "Enum `" << TypeIndexToTypeKey(typeIndex)
                            << "` has no instance with index " << index;
  TVM_FFI_UNREACHABLE();
}
} // namespace inner

inline Enum EnumObj::_GetByIntIndex(int32_t type_index, int64_t index) {
  return inner::enumValue(type_index, index);
}
inline Enum EnumObj::_GetByStrIndex(int32_t type_index, const String &index) {
  return inner::enumValue(type_index, index);
}
template <typename EnumType> inline Enum EnumObj::_GetByIntIndex(int64_t index) {
  return _GetByIntIndex(EnumType::RuntimeTypeIndex(), index);
}
template <typename EnumType> inline Enum EnumObj::_GetByStrIndex(const String &index) {
  return _GetByStrIndex(EnumType::RuntimeTypeIndex(), index);
}

/// An enum whose values stand for integers.
class IntEnumObj : public EnumObj {
public:
  using EnumObj::EnumObj;
  int64_t value() const { return _int_index; }
  TVM_FFI_INNER_DECLARE_LIBRARY_OBJECT_("ffi.IntEnum", IntEnumObj, EnumObj);
};

class IntEnum : public Enum {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(IntEnum, Enum, IntEnumObj);
};

/// An enum whose values stand for strings.
class StrEnumObj : public EnumObj {
public:
  using EnumObj::EnumObj;
  const String &value() const { return _str_index; }
  TVM_FFI_INNER_DECLARE_LIBRARY_OBJECT_("ffi.StrEnum", StrEnumObj, EnumObj);
};

class StrEnum : public Enum {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StrEnum, Enum, StrEnumObj);
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_ENUM_H_
