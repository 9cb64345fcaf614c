/// Making objects by their type's key or entry, from values of their fields.
#ifndef TVM_FFI_REFLECTION_CREATOR_H_
#define TVM_FFI_REFLECTION_CREATOR_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include <string_view>
#include <type_traits>

namespace tvm {
namespace ffi {
namespace reflection {

/// Whether a type's objects can be made empty and filled in.
inline bool HasCreator(const TypeInfo *type_info) {
  if (type_info->metadata && type_info->metadata->creator)
    return true;
  TVMFFIByteArray name = AsByteArray(type_attr::kNew.name);
  const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&name);
  return column && TypeAttrColumn(type_attr::kNew)[type_info->type_index] != nullptr;
}

/// An object whose fields are as its class's default constructor leaves them. RuntimeError where
/// the type has none.
inline ObjectPtr<Object> CreateEmptyObject(const TypeInfo *type_info) {
  if (type_info->metadata && type_info->metadata->creator) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(type_info->metadata->creator(&handle));
    return ::tvm::ffi::detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(
        static_cast<TVMFFIObject *>(handle));
  }
  if (HasCreator(type_info)) {
    // A class that a language defined.
    ObjectRef made =
        (*type_attr::kNew.ValueFrom(TypeAttrColumn(type_attr::kNew)[type_info->type_index]))();
    return ::tvm::ffi::detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(std::move(made));
  }
  inner::throwAt("RuntimeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                 inner::concat("Type `", inner::toText(type_info->type_key),
                               "` does not support default constructor, as a result cannot be "
                               "created via reflection"));
}

/// Makes objects of one type.
class ObjectCreator {
public:
  /// RuntimeError where the type's objects cannot be made empty.
  explicit ObjectCreator(std::string_view type_key)
      : ObjectCreator(TVMFFIGetTypeInfo(TypeKeyToIndex(type_key))) {}
  explicit ObjectCreator(const TypeInfo *type_info) : type_info_(type_info) {
    if (!HasCreator(type_info))
      CreateEmptyObject(type_info); // says why
  }

  /// An object with these fields; the others have their defaults. TypeError for a field that is
  /// missing, that the type does not have, or whose value does not convert.
  template <typename Value = Any>
  Any operator()(const std::enable_if_t<true, Map<String, Value>> &fields) const {
    ObjectPtr<Object> object = CreateEmptyObject(type_info_);
    size_t used = 0;
    ForEachFieldInfo(type_info_, [&](const TVMFFIFieldInfo *field) {
      String name(field->name.data, field->name.size);
      char *address = reinterpret_cast<char *>(object.get()) + field->offset;
      if (auto it = fields.find(name); it != fields.end()) {
        Any value = (*it).second;
        TVMFFIAny raw = AnyView(value).CopyToTVMFFIAny();
        TVM_FFI_CHECK_SAFE_CALL(CallFieldSetter(field, address, &raw));
        ++used;
      } else if (field->flags & kTVMFFIFieldFlagBitMaskHasDefault) {
        SetFieldToDefault(field, address);
      } else {
        throwType(inner::concat("Required field `", std::string(name), "` not set in type `", key(),
                                "`"));
      }
    });
    if (used != fields.size())
      throwUnknownField(fields);
    return Any(ObjectRef(std::move(object)));
  }

private:
  std::string_view key() const {
    return std::string_view(type_info_->type_key.data, type_info_->type_key.size);
  }
  template <typename Fields> [[noreturn]] void throwUnknownField(const Fields &fields) const {
    for (const auto &[name, value] : fields) {
      std::string_view text(name.data(), name.size());
      bool known = ForEachFieldInfoWithEarlyStop(type_info_, [&](const TVMFFIFieldInfo *field) {
        return std::string_view(field->name.data, field->name.size) == text;
      });
      if (!known)
        throwType(inner::concat("Type `", key(), "` does not have field `", text, "`"));
    }
    throwType(inner::concat("A field of type `", key(), "` is given twice"));
  }
  [[noreturn]] static void throwType(const std::string &message) {
    inner::throwAt("TypeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG, message);
  }

  const TypeInfo *type_info_;
};

} // namespace reflection

using reflection::CreateEmptyObject;
using reflection::HasCreator;

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_REFLECTION_CREATOR_H_
