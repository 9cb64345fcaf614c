/// Creates, copies and destroys objects of classes that a language defines at run time, using their
/// registered fields.
#include <cstdlib>
#include <cstring>

#include "FieldAccess.h"
#include "tvm/ffi/memory.h"
#include "tvm/ffi/reflection/registry.h"

namespace tvm::ffi {
void registerGeneratedInit(int32_t typeIndex);
}

using namespace tvm::ffi;

namespace {

template <typename Action> void forEachField(const TVMFFIObject *header, Action action) {
  reflection::ForEachFieldInfo(TVMFFIGetTypeInfo(header->type_index), action);
}

char *addressIn(TVMFFIObject *header, const TVMFFIFieldInfo *field) {
  return reinterpret_cast<char *>(header) + field->offset;
}

void deleteLanguageObject(void *self, int flags) {
  auto *header = static_cast<TVMFFIObject *>(self);
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong)
    forEachField(header, [&](const TVMFFIFieldInfo *field) {
      char *address = addressIn(header, field);
      switch (holdOf(*field)) {
      case FieldHold::Value:
        reinterpret_cast<Any *>(address)->~Any();
        break;
      case FieldHold::Object:
        reinterpret_cast<ObjectRef *>(address)->~ObjectRef();
        break;
      case FieldHold::Plain:
        break;
      }
    });
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak)
    std::free(self);
}

/// An object whose fields are zero: None, null, 0, false.
ObjectPtr<Object> makeLanguageObject(int32_t typeIndex, size_t size) {
  void *memory = inner::allocateObject(size, alignof(std::max_align_t));
  std::memset(memory, 0, size);
  auto *header = static_cast<TVMFFIObject *>(memory);
  header->combined_ref_count = inner::kCountBothOne;
  header->type_index = typeIndex;
  header->deleter = deleteLanguageObject;
  return tvm::ffi::detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(header);
}

ObjectPtr<Object> copyLanguageObject(const Object *source, size_t size) {
  TVMFFIObject *from = tvm::ffi::detail::ObjectUnsafe::GetHeader(source);
  ObjectPtr<Object> copy = makeLanguageObject(from->type_index, size);
  TVMFFIObject *to = tvm::ffi::detail::ObjectUnsafe::GetHeader(copy.get());
  forEachField(from, [&](const TVMFFIFieldInfo *field) {
    char *target = addressIn(to, field);
    const char *value = addressIn(from, field);
    switch (holdOf(*field)) {
    case FieldHold::Value:
      *reinterpret_cast<Any *>(target) = *reinterpret_cast<const Any *>(value);
      break;
    case FieldHold::Object:
      *reinterpret_cast<ObjectRef *>(target) = *reinterpret_cast<const ObjectRef *>(value);
      break;
    case FieldHold::Plain:
      std::memcpy(target, value, static_cast<size_t>(field->size));
      break;
    }
  });
  return copy;
}

void registerLanguageClass(int32_t typeIndex, int32_t totalSize) {
  const TVMFFITypeInfo *type = TVMFFIGetTypeInfo(typeIndex);
  int64_t needed = static_cast<int64_t>(sizeof(TVMFFIObject));
  reflection::ForEachFieldInfo(type, [&](const TVMFFIFieldInfo *field) {
    needed = std::max(needed, field->offset + field->size);
  });
  if (totalSize < needed)
    TVM_FFI_THROW(ValueError) << "Type `" << nameOf(type->type_key) << "` is said to have "
                              << totalSize << " bytes, but its fields need " << needed;
  size_t size = static_cast<size_t>(totalSize);
  inner::registerTypeAttr(typeIndex, type_attr::kNew,
                          Function::FromTyped([typeIndex, size]() -> ObjectRef {
                            return ObjectRef(makeLanguageObject(typeIndex, size));
                          }));
  inner::registerTypeAttr(typeIndex, type_attr::kShallowCopy,
                          Function::FromTyped([size](const Object *self) -> ObjectRef {
                            return ObjectRef(copyLanguageObject(self, size));
                          }));
  registerGeneratedInit(typeIndex);
}

} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi._PyClassRegisterTypeAttrColumns", registerLanguageClass);
}
