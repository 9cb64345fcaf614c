/// Fields, methods, metadata and attributes of types.
#include <cstdio>
#include <mutex>

#include "Boundary.h"
#include "TypeTable.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {
/// Adds an element to an array that readers see as a pointer and a count: the count goes up last.
template <typename T>
void publish(StableArray<T> &array, const T &element, const T **pointer, int32_t *count) {
  size_t size = array.size();
  const T *data = array.resize(size + 1, element);
  __atomic_store_n(pointer, data, __ATOMIC_RELEASE);
  __atomic_store_n(count, static_cast<int32_t>(size + 1), __ATOMIC_RELEASE);
}
} // namespace

void TypeTable::registerField(int32_t index, const TVMFFIFieldInfo &info) {
  std::unique_lock lock(mutex);
  Entry &type = requireEntry(index);
  std::string_view name = viewOf(&info.name);
  for (int32_t i = 0; i < type.num_fields; ++i)
    if (viewOf(&type.fields[i].name) == name)
      TVM_FFI_THROW(InternalError)
          << "Duplicate field name \"" << name << "\" in type \"" << type.type_key.data << "\"";
  for (const TVMFFITypeInfo *ancestor : type.ancestors)
    for (int32_t i = 0; i < ancestor->num_fields; ++i)
      if (viewOf(&ancestor->fields[i].name) == name)
        std::fprintf(stderr, "Warning: field \"%.*s\" of type \"%s\" hides that of \"%s\"\n",
                     static_cast<int>(name.size()), name.data(), type.type_key.data,
                     ancestor->type_key.data);
  TVMFFIFieldInfo copy = info;
  copy.name = intern(name);
  copy.doc = intern(viewOf(&info.doc));
  copy.metadata = intern(viewOf(&info.metadata));
  if (info.flags & kTVMFFIFieldFlagBitMaskHasDefault)
    copy.default_value_or_factory = retain(info.default_value_or_factory);
  else
    inner::setNone(&copy.default_value_or_factory);
  if ((info.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) && info.setter) {
    TVMFFIAny setter;
    inner::setObject(static_cast<TVMFFIObject *>(info.setter), &setter);
    retain(setter);
  }
  publish(type.fieldArray, copy, &type.fields, &type.num_fields);
}

void TypeTable::registerMethod(int32_t index, const TVMFFIMethodInfo &info) {
  std::unique_lock lock(mutex);
  Entry &type = requireEntry(index);
  TVMFFIMethodInfo copy = info;
  copy.name = intern(viewOf(&info.name));
  copy.doc = intern(viewOf(&info.doc));
  copy.metadata = intern(viewOf(&info.metadata));
  copy.method = retain(info.method);
  publish(type.methodArray, copy, &type.methods, &type.num_methods);
}

void TypeTable::registerMetadata(int32_t index, const TVMFFITypeMetadata &metadata) {
  std::unique_lock lock(mutex);
  Entry &type = requireEntry(index);
  if (type.metadata)
    TVM_FFI_LOG_AND_THROW(RuntimeError)
        << "Overriding " << type.type_key.data << ", possible causes:\n"
        << "- two ObjectDef<T>() registrations of the type\n"
        << "- a class without a TVM_FFI_DECLARE_OBJECT_INFO of its own, so that it is registered "
           "under its parent's key";
  type.metadataStorage = metadata;
  type.metadataStorage.doc = intern(viewOf(&metadata.doc));
  __atomic_store_n(&type.metadata, &type.metadataStorage, __ATOMIC_RELEASE);
}

TypeTable::Column &TypeTable::column(std::string_view name) {
  if (auto it = columns.find(name); it != columns.end())
    return *it->second;
  auto *fresh = new Column;
  static_cast<TVMFFITypeAttrColumn &>(*fresh) = TVMFFITypeAttrColumn{};
  TVMFFIByteArray key = intern(name);
  columns.emplace(viewOf(&key), fresh);
  return *fresh;
}

void TypeTable::registerAttr(int32_t index, std::string_view name, const TVMFFIAny &value) {
  std::unique_lock lock(mutex);
  Column &target = column(name);
  if (index == kTVMFFINone)
    return;
  requireEntry(index);
  TVMFFIAny none;
  inner::setNone(&none);
  if (index >= target.size) {
    const TVMFFIAny *data = target.cells.resize(static_cast<size_t>(index) + 1, none);
    __atomic_store_n(&target.data, data, __ATOMIC_RELEASE);
    __atomic_store_n(&target.size, index + 1, __ATOMIC_RELEASE);
  }
  auto *cell = const_cast<TVMFFIAny *>(&target.data[index]);
  if (cell->type_index != kTVMFFINone)
    TVM_FFI_THROW(RuntimeError) << "TypeAttr `" << name << "` is already registered for type index "
                                << index
                                << ". To update it, change what the registered value refers to";
  // Store the type last: a reader without a lock sees None or the complete value.
  TVMFFIAny retained = retain(value);
  cell->zero_padding = retained.zero_padding;
  cell->v_uint64 = retained.v_uint64;
  __atomic_store_n(&cell->type_index, retained.type_index, __ATOMIC_RELEASE);
}

const TVMFFITypeAttrColumn *TypeTable::findColumn(std::string_view name) const {
  std::shared_lock lock(mutex);
  auto it = columns.find(name);
  return it == columns.end() ? nullptr : it->second;
}

//===----------------------------------------------------------------------===//
// The C functions
//===----------------------------------------------------------------------===//

int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo *info) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(info, "TVMFFITypeRegisterField", "info");
  TypeTable::get().registerField(type_index, *info);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo *info) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(info, "TVMFFITypeRegisterMethod", "info");
  TypeTable::get().registerMethod(type_index, *info);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata *metadata) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(metadata, "TVMFFITypeRegisterMetadata", "metadata");
  TypeTable::get().registerMetadata(type_index, *metadata);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray *attr_name,
                           const TVMFFIAny *attr_value) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(attr_name, "TVMFFITypeRegisterAttr", "attr_name");
  requireArgument(attr_value, "TVMFFITypeRegisterAttr", "attr_value");
  TypeTable::get().registerAttr(type_index, viewOf(attr_name), *attr_value);
  TVM_FFI_SAFE_CALL_END();
}

const TVMFFITypeAttrColumn *TVMFFIGetTypeAttrColumn(const TVMFFIByteArray *attr_name) {
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  return TypeTable::get().findColumn(viewOf(attr_name));
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIGetTypeAttrColumn);
}
