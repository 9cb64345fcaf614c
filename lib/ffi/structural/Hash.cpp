/// Hashes of values by their structure.
#include "tvm/ffi/extra/structural_hash.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "Region.h"
#include "tvm/ffi/extra/structural_equal.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

class StructuralHasher {
public:
  StructuralHasher(bool mapFreeVars, bool skipTensors)
      : mapFreeVars(mapFreeVars), skipTensors(skipTensors) {}

  uint64_t hash(AnyView value) {
    NestingGuard guard(level, "StructuralHash");
    TVMFFIAny raw = value.CopyToTVMFFIAny();
    if (std::optional<uint64_t> leafHash = hashOfLeaf(raw))
      return *leafHash;
    return hashObject(value, raw.type_index);
  }

private:
  uint64_t hashObject(AnyView value, int32_t type) {
    const Object *object = objectOf(value);
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
    uint64_t seed = tvm::ffi::detail::StableHashBytes(info->type_key.data, info->type_key.size);
    if (isSequence(type)) {
      SequenceView values(object);
      seed = tvm::ffi::detail::StableHashCombine(seed, static_cast<uint64_t>(values.count));
      for (const Any &item : values)
        seed = tvm::ffi::detail::StableHashCombine(seed, hash(item));
      return seed;
    }
    if (isMapping(type))
      return hashMap(seed, *mapOf(object));
    if (type == kTVMFFIShape) {
      TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(const_cast<Object *>(object));
      return hashSizes(seed, shape->data, shape->size);
    }
    if (type == kTVMFFITensor)
      return hashTensor(seed, tensorOf(object));
    switch (structuralKindOf(info)) {
    case kTVMFFISEqHashKindFreeVar:
      return hashVariable(seed, value, info);
    case kTVMFFISEqHashKindDAGNode: {
      if (auto it = numbers.find(object); it != numbers.end())
        return it->second;
      uint64_t content = hashContent(seed, value, info);
      return number(object, content);
    }
    default:
      return hashContent(seed, value, info);
    }
  }

  static uint64_t hashSizes(uint64_t seed, const int64_t *sizes, size_t count) {
    return tvm::ffi::detail::StableHashCombine(
        seed, tvm::ffi::detail::StableHashBytes(reinterpret_cast<const char *>(sizes),
                                                count * sizeof(int64_t)));
  }

  uint64_t hashTensor(uint64_t seed, const DLTensor &tensor) const {
    seed = hashSizes(seed, tensor.shape, static_cast<size_t>(tensor.ndim));
    seed = tvm::ffi::detail::StableHashCombine(
        seed, static_cast<uint64_t>(tensor.dtype.code) << 32 |
                  static_cast<uint64_t>(tensor.dtype.bits) << 16 | tensor.dtype.lanes);
    if (skipTensors)
      return seed;
    std::string_view bytes = tensorBytes(tensor);
    return tvm::ffi::detail::StableHashCombine(
        seed, tvm::ffi::detail::StableHashBytes(bytes.data(), bytes.size()));
  }

  /// Equal maps may have their entries in another order, and variables are numbered in the order in
  /// which they are met: entries go by the hash of their keys. Those that share one, as objects
  /// whose identity is their equality do, have no order; their values are left out.
  uint64_t hashMap(uint64_t seed, const MapBaseObj &map) {
    std::vector<std::pair<uint64_t, const Any *>> entries;
    for (const auto &[key, value] : map)
      entries.emplace_back(hashKey(key), &value);
    std::sort(entries.begin(), entries.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    seed = tvm::ffi::detail::StableHashCombine(seed, entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      seed = tvm::ffi::detail::StableHashCombine(seed, entries[i].first);
      bool shared = (i > 0 && entries[i - 1].first == entries[i].first) ||
                    (i + 1 < entries.size() && entries[i + 1].first == entries[i].first);
      if (!shared)
        seed = tvm::ffi::detail::StableHashCombine(seed, hash(*entries[i].second));
    }
    return seed;
  }
  uint64_t hashKey(const Any &key) {
    int32_t type = key.type_index();
    if (type < kTVMFFIStaticObjectBegin || isText(type) || isBytes(type) || type == kTVMFFIBigInt)
      return hash(key);
    auto it = numbers.find(objectOf(key));
    return it == numbers.end() ? 0 : it->second;
  }

  /// An object's hash from now on.
  uint64_t number(const Object *object, uint64_t content) {
    auto [it, inserted] =
        numbers.emplace(object, tvm::ffi::detail::StableHashCombine(content, numbers.size()));
    return it->second;
  }

  uint64_t hashVariable(uint64_t seed, AnyView value, const TVMFFITypeInfo *type) {
    const Object *object = objectOf(value);
    if (auto it = numbers.find(object); it != numbers.end())
      return it->second;
    if (region == kTVMFFIDefRegionKindNone && !mapFreeVars)
      return tvm::ffi::detail::StableHashCombine(seed, reinterpret_cast<uintptr_t>(object));
    Scoped<TVMFFIDefRegionKind> scope(region, insideVariable(region));
    uint64_t content = hashContent(seed, value, type);
    return number(object, content);
  }

  uint64_t hashContent(uint64_t seed, AnyView value, const TVMFFITypeInfo *type) {
    AnyView hook = findTypeAttr(type_attr::kSHash, type->type_index);
    if (hook != nullptr)
      return static_cast<uint64_t>(
          hook.cast<Function>()(value, static_cast<int64_t>(seed), callback()).cast<int64_t>());
    if (findTypeAttr(type_attr::kSEqual, type->type_index) != nullptr)
      // The type's own equality may look at anything.
      return seed;
    const Object *object = objectOf(value);
    reflection::ForEachFieldInfo(type, [&](const TVMFFIFieldInfo *field) {
      if (field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore)
        return;
      Scoped<TVMFFIDefRegionKind> scope(region, enterField(region, field));
      seed = tvm::ffi::detail::StableHashCombine(seed, hash(readField(object, field)));
    });
    return seed;
  }

  /// The callback of a class's own hash for inner values. It is valid during that call only.
  Function callback() {
    return Function::FromTyped([this](AnyView value, int64_t seed, int32_t kind) {
      Scoped<TVMFFIDefRegionKind> scope(region, enterRegion(region, kind));
      return static_cast<int64_t>(
          tvm::ffi::detail::StableHashCombine(static_cast<uint64_t>(seed), hash(value)));
    });
  }

  bool mapFreeVars, skipTensors;
  TVMFFIDefRegionKind region = kTVMFFIDefRegionKindNone;
  /// Hashes of variables and nodes of graphs that were met.
  std::unordered_map<const Object *, uint64_t> numbers;
  int level = 0;
};

} // namespace

uint64_t StructuralHash::Hash(const Any &value, bool map_free_vars, bool skip_tensor_content) {
  return StructuralHasher(map_free_vars, skip_tensor_content).hash(value);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::EnsureTypeAttrColumn(type_attr::kSHash);
  reflection::GlobalDef().def(
      "ffi.StructuralHash", [](Any value, bool mapFreeVars, bool skipTensors) {
        return static_cast<int64_t>(StructuralHash::Hash(value, mapFreeVars, skipTensors));
      });
}
