/// StructuralKey: a value as a key of maps, by its structure.
#ifndef TVM_FFI_EXTRA_STRUCTURAL_KEY_H_
#define TVM_FFI_EXTRA_STRUCTURAL_KEY_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdint>
#include <utility>

namespace tvm {
namespace ffi {

/// The object behind a StructuralKey.
class StructuralKeyObj : public Object {
public:
  Any key;
  /// The key's structural hash.
  int64_t hash_i64 = 0;

  StructuralKeyObj() = default;
  explicit StructuralKeyObj(Any key)
      : key(std::move(key)), hash_i64(static_cast<int64_t>(StructuralHash::Hash(this->key))) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.StructuralKey", StructuralKeyObj, Object);
};

/// A value with its structural hash: keys are equal where their values are StructuralEqual, also as
/// keys of Map and Dict. The value should not change while its key is used.
class StructuralKey : public ObjectRef {
public:
  /// What StructuralHash throws.
  explicit StructuralKey(Any key) : ObjectRef(make_object<StructuralKeyObj>(std::move(key))) {}

  /// Whether both keys' values are structurally equal.
  inline bool operator==(const StructuralKey &other) const;
  bool operator!=(const StructuralKey &other) const { return !(*this == other); }

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralKey, ObjectRef, StructuralKeyObj);
};

} // namespace ffi
} // namespace tvm

#include <tvm/ffi/extra/structural_equal.h>

namespace tvm {
namespace ffi {
inline bool StructuralKey::operator==(const StructuralKey &other) const {
  return same_as(other) ||
         (get()->hash_i64 == other->hash_i64 && StructuralEqual::Equal(get()->key, other->key));
}
} // namespace ffi
} // namespace tvm

/// As keys of the standard library's hash tables.
template <> struct std::hash<tvm::ffi::StructuralKey> {
  size_t operator()(const tvm::ffi::StructuralKey &key) const noexcept {
    return static_cast<size_t>(key->hash_i64);
  }
};
#endif // TVM_FFI_EXTRA_STRUCTURAL_KEY_H_
