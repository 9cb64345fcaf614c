/// The global functions that make, read and write the containers.
#include "Sentinels.h"
#include "TypeTable.h"
#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/container/shape.h"
#include "tvm/ffi/container/tensor.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

const ObjectRef &tvm::ffi::invalidObject() {
  static auto *invalid = new ObjectRef(make_object<SentinelObj>());
  return *invalid;
}

const ObjectRef &tvm::ffi::kwargsObject() {
  static auto *kwargs = new ObjectRef(make_object<SentinelObj>());
  return *kwargs;
}

namespace {

//===----------------------------------------------------------------------===//
// Array and List
//===----------------------------------------------------------------------===//

bool contains(const SeqBaseObj *sequence, const Any &value) {
  for (const Any &item : *sequence)
    if (AnyEqual()(item, value))
      return true;
  return false;
}

Any pop(const List<Any> &list, int64_t i) {
  Any value = list->at(i);
  list.GetListObj()->erase(i);
  return value;
}

/// Puts `values` where the items from `first` up to `last` are.
void replaceSlice(const List<Any> &list, int64_t first, int64_t last, const List<Any> &values) {
  // A copy: `values` may be `list` itself.
  ObjectPtr<ListObj> fresh = ListObj::Empty(static_cast<int64_t>(values.size()));
  fresh->CopyValuesAfterCheck(values.GetListObj());
  ListObj *items = list.GetListObj();
  items->erase(first, last);
  Any *to = items->OpenGap(first, static_cast<int64_t>(fresh->size()));
  for (Any &value : *fresh)
    (to++)->swap(value);
}

//===----------------------------------------------------------------------===//
// Map and Dict
//===----------------------------------------------------------------------===//

template <typename Ref> void makeFromPairs(PackedArgs args, Any *result) {
  TVM_FFI_ICHECK_EQ(args.size() % 2, 0);
  Ref map;
  for (int32_t i = 0; i < args.size(); i += 2)
    map.Set(args[i], args[i + 1]);
  *result = std::move(map);
}

Any getOrMissing(const MapBaseObj *map, const Any &key) {
  auto entry = map->find(key);
  return entry == map->end() ? Any(invalidObject()) : entry->second;
}

/// An iterator for other languages: 0 returns the key, 1 the value; any other argument steps on and
/// returns whether an entry follows.
class ForwardIterator {
public:
  explicit ForwardIterator(ObjectRef owner, const MapBaseObj *map)
      : owner(std::move(owner)), map(map), index(map->firstIndex()) {}

  Any operator()(int command) {
    if (command != 0 && command != 1) {
      if (index != inner::kNoMapEntry)
        index = map->nextIndex(index);
      return index != inner::kNoMapEntry;
    }
    if (index == inner::kNoMapEntry)
      TVM_FFI_THROW(IndexError) << "The iterator is past the last entry";
    return command == 0 ? map->entry(index).first : map->entry(index).second;
  }

private:
  ObjectRef owner;
  const MapBaseObj *map;
  uint64_t index;
};

Function iterate(const MapObj *map) {
  return Function::FromTyped(ForwardIterator(GetRef<Map<Any, Any>>(map), map));
}

/// Goes over the entries as they are now, whatever happens to the dict on the way.
Function iterate(const DictObj *dict) {
  ObjectPtr<DictObj> copy = dict->ShallowCopy();
  const DictObj *entries = copy.get();
  return Function::FromTyped(ForwardIterator(ObjectRef(std::move(copy)), entries));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

bool findDevice(const Any &value, DLDevice *device, int depth) {
  // Lists and dicts can hold themselves.
  constexpr int kMaxDepth = 1000;
  if (depth > kMaxDepth)
    TVM_FFI_THROW(ValueError) << "Containers are nested deeper than " << kMaxDepth << " levels";
  switch (value.type_index()) {
  case kTVMFFITensor:
    *device = static_cast<const TensorObj *>(value.as<Object>())->device;
    return device->device_type != kDLCPU;
  case kTVMFFIArray:
  case kTVMFFIList:
    for (const Any &item : *static_cast<const SeqBaseObj *>(value.as<Object>()))
      if (findDevice(item, device, depth + 1))
        return true;
    return false;
  case kTVMFFIMap:
  case kTVMFFIDict:
    for (const auto &entry : *static_cast<const MapBaseObj *>(value.as<Object>()))
      if (findDevice(entry.second, device, depth + 1))
        return true;
    return false;
  default:
    return false;
  }
}

DLDevice findFirstNonCPUDevice(const Any &container) {
  DLDevice device;
  return findDevice(container, &device, 0) ? device : DLDevice{kDLCPU, 0};
}

void makeShape(PackedArgs args, Any *result) {
  std::vector<int64_t> extents;
  for (int32_t i = 0; i < args.size(); ++i) {
    std::optional<int64_t> extent = args[i].try_cast<int64_t>();
    if (!extent)
      TVM_FFI_THROW(ValueError) << "Expect shape to take list of int arguments";
    extents.push_back(*extent);
  }
  *result = Shape(extents);
}

} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def_packed("ffi.Array",
                  [](PackedArgs args, Any *result) {
                    *result = Array<Any>(args.data(), args.data() + args.size());
                  })
      .def("ffi.ArrayGetItem", [](const ArrayObj *array, int64_t i) { return array->at(i); })
      .def("ffi.ArraySize",
           [](const ArrayObj *array) { return static_cast<int64_t>(array->size()); })
      .def("ffi.ArrayContains",
           [](const ArrayObj *array, const Any &value) { return contains(array, value); });
  reflection::GlobalDef()
      .def_packed("ffi.List",
                  [](PackedArgs args, Any *result) {
                    *result = List<Any>(args.data(), args.data() + args.size());
                  })
      .def("ffi.ListGetItem", [](const ListObj *list, int64_t i) { return list->at(i); })
      .def("ffi.ListSize", [](const ListObj *list) { return static_cast<int64_t>(list->size()); })
      .def("ffi.ListContains",
           [](const ListObj *list, const Any &value) { return contains(list, value); })
      .def("ffi.ListSetItem", [](List<Any> list, int64_t i, Any value) { list.Set(i, value); })
      .def("ffi.ListAppend", [](List<Any> list, Any value) { list.push_back(value); })
      .def("ffi.ListInsert", [](List<Any> list, int64_t i,
                                Any value) { list.GetListObj()->Insert(i, std::move(value)); })
      .def("ffi.ListPop", pop)
      .def("ffi.ListErase", [](List<Any> list, int64_t i) { list.GetListObj()->erase(i); })
      .def("ffi.ListEraseRange", [](List<Any> list, int64_t first,
                                    int64_t last) { list.GetListObj()->erase(first, last); })
      .def("ffi.ListReplaceSlice", replaceSlice)
      .def("ffi.ListReverse", [](List<Any> list) { list.GetListObj()->Reverse(); })
      .def("ffi.ListReserve", [](List<Any> list, int64_t count) { list.reserve(count); })
      .def("ffi.ListClear", [](List<Any> list) { list.clear(); });
  reflection::GlobalDef()
      .def_packed("ffi.Map", makeFromPairs<Map<Any, Any>>)
      .def("ffi.MapSize", [](const MapObj *map) { return static_cast<int64_t>(map->size()); })
      .def("ffi.MapGetItem", [](const MapObj *map, const Any &key) { return map->at(key); })
      .def("ffi.MapCount",
           [](const MapObj *map, const Any &key) { return static_cast<int64_t>(map->count(key)); })
      .def("ffi.MapGetItemOrMissing",
           [](const MapObj *map, const Any &key) { return getOrMissing(map, key); })
      .def("ffi.MapForwardIterFunctor", [](const MapObj *map) { return iterate(map); });
  reflection::GlobalDef()
      .def_packed("ffi.Dict", makeFromPairs<Dict<Any, Any>>)
      .def("ffi.DictSize", [](const DictObj *dict) { return static_cast<int64_t>(dict->size()); })
      .def("ffi.DictGetItem",
           [](const DictObj *dict, const Any &key) -> Any { return dict->at(key); })
      .def("ffi.DictCount", [](const DictObj *dict,
                               const Any &key) { return static_cast<int64_t>(dict->count(key)); })
      .def("ffi.DictGetItemOrMissing",
           [](const DictObj *dict, const Any &key) { return getOrMissing(dict, key); })
      .def("ffi.DictSetItem",
           [](Dict<Any, Any> dict, const Any &key, const Any &value) { dict.Set(key, value); })
      .def("ffi.DictErase", [](Dict<Any, Any> dict, const Any &key) { dict.erase(key); })
      .def("ffi.DictClear", [](Dict<Any, Any> dict) { dict.clear(); })
      .def("ffi.DictForwardIterFunctor", [](const DictObj *dict) { return iterate(dict); });
  reflection::GlobalDef()
      .def_packed("ffi.Shape", makeShape)
      .def("ffi.ContainerFindFirstNonCPUDevice", findFirstNonCPUDevice)
      .def("ffi.GetRegisteredTypeKeys",
           [] {
             Array<String> keys;
             for (const std::string &key : TypeTable::get().keys())
               keys.push_back(key);
             return keys;
           })
      .def("ffi.GetInvalidObject", [] { return invalidObject(); })
      .def("ffi.GetKwargsObject", [] { return kwargsObject(); });
}
