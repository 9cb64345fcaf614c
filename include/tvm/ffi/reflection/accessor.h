/// Reading the type table: attributes of types, fields and methods of objects.
#ifndef TVM_FFI_REFLECTION_ACCESSOR_H_
#define TVM_FFI_REFLECTION_ACCESSOR_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/inner/published.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/string.h>

#include <optional>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi {
namespace reflection {

/// Helpers that third parties may name. Before 0.1.15 the namespace was `details`.
namespace detail {}
namespace details {
using namespace detail;
} // namespace details

inline TVMFFIByteArray AsByteArray(std::string_view text) {
  return TVMFFIByteArray{text.data(), text.size()};
}
inline TVMFFIByteArray AsByteArray(const char *text) { return AsByteArray(std::string_view(text)); }

/// The name of a type attribute whose values are Ts.
template <typename T> struct AttrKey {
  using ValueType = T;

  const char *name;

  /// Before 0.1.15 a key was its name.
  constexpr operator const char *() const { return name; } // NOLINT(*)

  /// The attribute's value, empty for None. TypeError where it is not exactly a T.
  std::optional<T> ValueFrom(AnyView value) const {
    if (value == nullptr)
      return std::nullopt;
    return value.template as_or_throw<T>();
  }
};

/// Makes sure that the column of an attribute exists, with no value yet.
inline void EnsureTypeAttrColumn(std::string_view name) {
  TVMFFIByteArray bytes = AsByteArray(name);
  TVMFFIAny none = AnyView().CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(kTVMFFINone, &bytes, &none));
}
template <typename T> inline void EnsureTypeAttrColumn(const AttrKey<T> &key) {
  EnsureTypeAttrColumn(std::string_view(key.name));
}

/// One attribute of all types.
class TypeAttrColumn {
public:
  /// RuntimeError where no type ever had the attribute.
  explicit TypeAttrColumn(std::string_view name) {
    TVMFFIByteArray bytes = AsByteArray(name);
    column_ = TVMFFIGetTypeAttrColumn(&bytes);
    if (!column_)
      inner::throwAt("RuntimeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                     inner::concat("Cannot find type attribute ", name));
  }
  template <typename T>
  explicit TypeAttrColumn(const AttrKey<T> &key) : TypeAttrColumn(std::string_view(key.name)) {}

  /// The value of one type, None where it has none.
  AnyView operator[](int32_t type_index) const {
    const TVMFFIAny *cell = inner::findCell(column_, type_index);
    return cell ? AnyView::CopyFromTVMFFIAny(*cell) : AnyView();
  }

private:
  const TVMFFITypeAttrColumn *column_;
};

} // namespace reflection

/// The attributes that the runtime itself reads. More are where they are used.
namespace type_attr {
/// An empty object, whose fields are still to be set.
inline constexpr reflection::AttrKey<TypedFunction<ObjectRef()>> kNew{"__ffi_new__"};
/// The constructor that languages call.
inline constexpr reflection::AttrKey<Function> kInit{"__ffi_init__"};
/// A value as a reference of the type.
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kConvert{"__ffi_convert__"};
/// What kConvert takes, as a type schema.
inline constexpr reflection::AttrKey<Any> kConvertTypeSchema{"__ffi_convert_type_schema__"};
/// A copy that shares the fields' objects.
inline constexpr reflection::AttrKey<TypedFunction<ObjectRef(const Object *)>> kShallowCopy{
    "__ffi_shallow_copy__"};
/// Whether the type has no children.
inline constexpr reflection::AttrKey<bool> kTypeFinal{"__ffi_type_final__"};
/// Hash and equality of the type's objects as keys.
inline constexpr reflection::AttrKey<reflection::NativeFunctionView<int64_t(const Any &)>> kAnyHash{
    "__any_hash__"};
inline constexpr reflection::AttrKey<reflection::NativeFunctionView<bool(const Any &, const Any &)>>
    kAnyEqual{"__any_equal__"};
} // namespace type_attr

namespace reflection {
/// Before 0.1.15 the attributes' names were here.
namespace type_attr = ::tvm::ffi::type_attr;

/// Calls `callback(const TVMFFIFieldInfo *)` for each field, ancestors' first, until it returns
/// true. Whether it did.
template <typename Callback>
inline bool ForEachFieldInfoWithEarlyStop(const TypeInfo *type_info, Callback callback) {
  auto visit = [&](const TypeInfo *type) {
    for (int32_t i = 0, count = inner::publishedCount(type->num_fields); i < count; ++i)
      if (callback(type->fields + i))
        return true;
    return false;
  };
  for (int32_t i = 0; i < type_info->type_depth; ++i)
    if (visit(type_info->type_ancestors[i]))
      return true;
  return visit(type_info);
}

/// Calls `callback(const TVMFFIFieldInfo *)` for each field, ancestors' first.
template <typename Callback>
inline void ForEachFieldInfo(const TypeInfo *type_info, Callback callback) {
  ForEachFieldInfoWithEarlyStop(type_info, [&](const TVMFFIFieldInfo *field) {
    callback(field);
    return false;
  });
}

/// A field of a type itself, not of its ancestors. RuntimeError where there is none.
inline const TVMFFIFieldInfo *GetFieldInfo(std::string_view type_key, std::string_view field_name) {
  const TypeInfo *type = TVMFFIGetTypeInfo(TypeKeyToIndex(type_key));
  for (int32_t i = 0, count = inner::publishedCount(type->num_fields); i < count; ++i) {
    const TVMFFIByteArray &name = type->fields[i].name;
    if (std::string_view(name.data, name.size) == field_name)
      return type->fields + i;
  }
  inner::throwAt("RuntimeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                 inner::concat("Cannot find field  `", field_name, "` in ", type_key));
}

/// A method of a type itself, not of its ancestors. RuntimeError where there is none.
inline const TVMFFIMethodInfo *GetMethodInfo(std::string_view type_key,
                                             std::string_view method_name) {
  const TypeInfo *type = TVMFFIGetTypeInfo(TypeKeyToIndex(type_key));
  for (int32_t i = 0, count = inner::publishedCount(type->num_methods); i < count; ++i) {
    const TVMFFIByteArray &name = type->methods[i].name;
    if (std::string_view(name.data, name.size) == method_name)
      return type->methods + i;
  }
  inner::throwAt("RuntimeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                 inner::concat("Cannot find method ", method_name, " in ", type_key));
}

/// GetMethodInfo's function. Its first argument is the object, but for a static method.
inline Function GetMethod(std::string_view type_key, std::string_view method_name) {
  return AnyView::CopyFromTVMFFIAny(GetMethodInfo(type_key, method_name)->method)
      .as_or_throw<Function>();
}

/// Sets a field at its address. 0, or -1 with the thread's error set.
inline int CallFieldSetter(const TVMFFIFieldInfo *field_info, void *field_addr,
                           const TVMFFIAny *value) {
  if (!(field_info->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj))
    return reinterpret_cast<TVMFFIFieldSetter>(field_info->setter)(field_addr, value);
  TVMFFIAny args[2];
  inner::setPointer(kTVMFFIOpaquePtr, field_addr, &args[0]);
  args[1] = *value;
  TVMFFIAny result;
  inner::setNone(&result);
  int rc = TVMFFIFunctionCall(field_info->setter, args, 2, &result);
  if (rc == 0 && inner::isObject(&result))
    ::tvm::ffi::detail::ObjectUnsafe::DecRefObjectHandle(result.v_obj);
  return rc;
}

/// Sets a field at its address to its default, which it must have. 0, or -1 with the thread's
/// error set.
inline int CallFieldSetterToDefault(const TVMFFIFieldInfo *field_info, void *field_addr) {
  if (!(field_info->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory))
    return CallFieldSetter(field_info, field_addr, &field_info->default_value_or_factory);
  TVMFFIAny made;
  inner::setNone(&made);
  int rc = TVMFFIFunctionCall(field_info->default_value_or_factory.v_obj, nullptr, 0, &made);
  if (rc != 0)
    return rc;
  rc = CallFieldSetter(field_info, field_addr, &made);
  if (inner::isObject(&made))
    ::tvm::ffi::detail::ObjectUnsafe::DecRefObjectHandle(made.v_obj);
  return rc;
}

/// CallFieldSetterToDefault that throws.
inline void SetFieldToDefault(const TVMFFIFieldInfo *field_info, void *field_addr) {
  TVM_FFI_CHECK_SAFE_CALL(CallFieldSetterToDefault(field_info, field_addr));
}

/// Reads one field of objects.
class FieldGetter {
public:
  explicit FieldGetter(const TVMFFIFieldInfo *field_info) : field_(field_info) {}
  FieldGetter(std::string_view type_key, std::string_view field_name)
      : field_(GetFieldInfo(type_key, field_name)) {}

  Any operator()(const Object *object) const {
    const char *address = reinterpret_cast<const char *>(object) + field_->offset;
    Any result;
    TVM_FFI_CHECK_SAFE_CALL(
        field_->getter(const_cast<char *>(address), reinterpret_cast<TVMFFIAny *>(&result)));
    return result;
  }
  template <typename T> Any operator()(const ObjectPtr<T> &object) const {
    return (*this)(static_cast<const Object *>(object.get()));
  }
  Any operator()(const ObjectRef &object) const {
    return (*this)(static_cast<const Object *>(object.get()));
  }

private:
  const TVMFFIFieldInfo *field_;
};

/// Writes one field of objects, also of one that languages may only read.
class FieldSetter {
public:
  explicit FieldSetter(const TVMFFIFieldInfo *field_info) : field_(field_info) {}
  FieldSetter(std::string_view type_key, std::string_view field_name)
      : field_(GetFieldInfo(type_key, field_name)) {}

  /// TypeError where the value does not convert to the field's type.
  void operator()(const Object *object, AnyView value) const {
    char *address = const_cast<char *>(reinterpret_cast<const char *>(object)) + field_->offset;
    TVMFFIAny raw = value.CopyToTVMFFIAny();
    TVM_FFI_CHECK_SAFE_CALL(CallFieldSetter(field_, address, &raw));
  }
  template <typename T> void operator()(const ObjectPtr<T> &object, AnyView value) const {
    (*this)(static_cast<const Object *>(object.get()), value);
  }
  void operator()(const ObjectRef &object, AnyView value) const {
    (*this)(static_cast<const Object *>(object.get()), value);
  }

private:
  const TVMFFIFieldInfo *field_;
};

} // namespace reflection
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_REFLECTION_ACCESSOR_H_
