/// Access to the content of a field, by the type index of its description.
#pragma once

#include "tvm/ffi/any.h"
#include "tvm/ffi/memory.h"
#include "tvm/ffi/reflection/accessor.h"

namespace tvm::ffi {

/// How a field that owns something holds it.
enum class FieldHold {
  Plain,  ///< bytes that own nothing
  Value,  ///< an Any, or a class that is one inside
  Object, ///< a pointer to an object's header, or null
};

inline FieldHold holdOf(const TVMFFIFieldInfo &field) {
  int32_t type = field.field_static_type_index;
  if (type > kTVMFFINone && type < kTVMFFIStaticObjectBegin)
    return FieldHold::Plain;
  return field.size == static_cast<int64_t>(sizeof(void *)) ? FieldHold::Object : FieldHold::Value;
}

inline std::string_view nameOf(const TVMFFIByteArray &text) {
  return std::string_view(text.data, text.size);
}

/// A field's value. Throws what its getter reports.
inline Any readField(const Object *object, const TVMFFIFieldInfo *field) {
  return reflection::FieldGetter(field)(object);
}

inline char *fieldAddress(const Object *object, const TVMFFIFieldInfo *field) {
  return const_cast<char *>(reinterpret_cast<const char *>(object)) + field->offset;
}

/// Returns a type's attribute, or with `inherit` that of an ancestor. None if both lack it.
AnyView findTypeAttr(const char *name, int32_t typeIndex, bool inherit = false);

/// An object with its fields still to be set. RuntimeError for a type whose objects cannot be made
/// so.
ObjectPtr<Object> makeEmpty(int32_t typeIndex);

} // namespace tvm::ffi
