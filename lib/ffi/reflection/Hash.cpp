/// Recursive hashes of values.
#include <cmath>

#include "Walk.h"
#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

class Hasher {
public:
  uint64_t hash(AnyView value) {
    NestingGuard guard(level, "RecursiveHash");
    TVMFFIAny raw = value.CopyToTVMFFIAny();
    // Equal values have equal bits.
    if (raw.type_index == kTVMFFIFloat) {
      if (std::isnan(raw.v_float64))
        raw.v_float64 = std::numeric_limits<double>::quiet_NaN();
      else if (raw.v_float64 == 0)
        raw.v_float64 = 0;
    }
    if (std::optional<uint64_t> leafHash = hashOfLeaf(raw))
      return *leafHash;
    return hashObject(value, raw.type_index);
  }

private:
  uint64_t hashObject(AnyView value, int32_t type) {
    const Object *object = objectOf(value);
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
    uint64_t seed = info->type_key_hash;
    Entered<const Object *> entered(open, object);
    if (!entered.fresh)
      return seed;
    if (type == kTVMFFIShape) {
      TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(const_cast<Object *>(object));
      return tvm::ffi::detail::StableHashCombine(
          seed, tvm::ffi::detail::StableHashBytes(reinterpret_cast<const char *>(shape->data),
                                                  shape->size * sizeof(int64_t)));
    }
    if (isSequence(type)) {
      SequenceView values(object);
      seed = tvm::ffi::detail::StableHashCombine(seed, static_cast<uint64_t>(values.count));
      for (const Any &item : values)
        seed = tvm::ffi::detail::StableHashCombine(seed, hash(item));
      return seed;
    }
    if (isMapping(type)) {
      // Whatever the order of the entries.
      uint64_t sum = mapOf(object)->size();
      for (const auto &[key, item] : *mapOf(object))
        sum += tvm::ffi::detail::StableHashCombine(hash(key), hash(item));
      return tvm::ffi::detail::StableHashCombine(seed, sum);
    }
    AnyView hook = findTypeAttr(type_attr::kHash, type);
    if (hook != nullptr)
      return static_cast<uint64_t>(hook.cast<Function>()(value, callback()).cast<int64_t>());
    if (findTypeAttr(type_attr::kEq, type) != nullptr ||
        findTypeAttr(type_attr::kCompare, type) != nullptr)
      TVM_FFI_THROW(ValueError)
          << "RecursiveHash: type '" << nameOf(info->type_key)
          << "' defines __ffi_eq__ or __ffi_compare__ but not __ffi_hash__. Add a __ffi_hash__ "
             "hook to maintain the invariant RecursiveEq(a,b) => "
             "RecursiveHash(a)==RecursiveHash(b).";
    // Matches equality: all objects have one hash if their type has no described fields.
    reflection::ForEachFieldInfo(info, [&](const TVMFFIFieldInfo *field) {
      if (!(field->flags & (kTVMFFIFieldFlagBitMaskHashOff | kTVMFFIFieldFlagBitMaskCompareOff)))
        seed = tvm::ffi::detail::StableHashCombine(seed, hash(readField(object, field)));
    });
    return seed;
  }

  /// The callback of a class's own hash for inner values. It is valid during that call only.
  Function callback() {
    return Function::FromTyped([this](AnyView value) { return static_cast<int64_t>(hash(value)); });
  }

  std::set<const Object *> open;
  int level = 0;
};

} // namespace

int64_t tvm::ffi::RecursiveHash(const Any &value) {
  return static_cast<int64_t>(Hasher().hash(value));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::EnsureTypeAttrColumn(type_attr::kHash);
  reflection::GlobalDef().def("ffi.RecursiveHash", &RecursiveHash);
}
