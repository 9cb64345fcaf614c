/// Deep copies of values.
#include <unordered_map>

#include "Walk.h"
#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

/// An object that holds itself through an immutable container is met before its copy is there: such
/// a one gets the copy that is being made.
class Copier {
public:
  Any copy(const Any &value) {
    int32_t type = value.type_index();
    if (type < kTVMFFIStaticObjectBegin || isText(type) || isBytes(type) || type == kTVMFFIShape ||
        type == kTVMFFIBigInt)
      return value;
    const Object *object = objectOf(value);
    if (object->IsInstance<EnumObj>()) // there is one of each
      return value;
    if (auto it = copies.find(object); it != copies.end())
      return it->second;
    NestingGuard guard(level, "DeepCopy");
    switch (type) {
    case kTVMFFIArray:
      return copySequence<ArrayObj>(object, [](ObjectPtr<ArrayObj> &array, Any item) {
        array->EmplaceBackAfterCheck(std::move(item));
      });
    case kTVMFFIList:
      return copySequence<ListObj>(
          object, [](ObjectPtr<ListObj> &list, Any item) { list->Append(std::move(item)); });
    case kTVMFFIMap:
      return copyMap<MapObj>(object);
    case kTVMFFIDict:
      return copyMap<DictObj>(object);
    default:
      return copyObject(value, object, type);
    }
  }

private:
  template <typename ObjectType, typename Append>
  Any copySequence(const Object *object, Append append) {
    SequenceView values(object);
    ObjectPtr<ObjectType> result = ObjectType::Empty(values.count);
    Any duplicate{ObjectRef(ObjectPtr<Object>(result))};
    copies.emplace(object, duplicate);
    for (int64_t i = 0; i < values.count; ++i)
      append(result, copy(values.first[i]));
    return duplicate;
  }

  template <typename ObjectType> Any copyMap(const Object *object) {
    const MapBaseObj &source = *mapOf(object);
    // Room for all entries, so that the copy never moves.
    ObjectPtr<ObjectType> result = ObjectType::Empty(source.size());
    Any duplicate{ObjectRef(ObjectPtr<Object>(result))};
    copies.emplace(object, duplicate);
    for (const auto &[key, item] : source)
      result->Set(copy(key), copy(item));
    return duplicate;
  }

  Any copyObject(const Any &value, const Object *object, int32_t type) {
    AnyView shallow = findTypeAttr(type_attr::kShallowCopy, type);
    if (shallow == nullptr)
      TVM_FFI_THROW(RuntimeError) << "Cannot deep copy object of type \"" << value.GetTypeKey()
                                  << "\" because it is not copy-constructible";
    Any duplicate = shallow.cast<Function>()(value);
    copies.emplace(object, duplicate);
    const Object *target = objectOf(duplicate);
    reflection::ForEachFieldInfo(TVMFFIGetTypeInfo(type), [&](const TVMFFIFieldInfo *field) {
      Any before = readField(target, field);
      if (before.type_index() < kTVMFFIStaticObjectBegin)
        return;
      Any after = copy(before);
      if (!after.same_as(before))
        reflection::FieldSetter{field}(target, after);
    });
    return duplicate;
  }

  std::unordered_map<const Object *, Any> copies;
  int level = 0;
};

} // namespace

Any tvm::ffi::DeepCopy(const Any &value) { return Copier().copy(value); }

TVM_FFI_STATIC_INIT_BLOCK() { reflection::GlobalDef().def("ffi.DeepCopy", &DeepCopy); }
