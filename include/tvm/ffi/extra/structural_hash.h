/// Hashes of values by their structure.
#ifndef TVM_FFI_EXTRA_STRUCTURAL_HASH_H_
#define TVM_FFI_EXTRA_STRUCTURAL_HASH_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>

#include <cstdint>

namespace tvm {
namespace ffi {

/// A hash that StructuralEqual values share.
class StructuralHash {
public:
  /// The hash of a value with all that it holds. `map_free_vars`: free variables hash by the order
  /// in which they are met, else by identity. `skip_tensor_content`: tensors hash by shape and
  /// dtype alone. TypeError for an object whose class has no structural kind.
  TVM_FFI_EXTRA_CXX_API static uint64_t Hash(const Any &value, bool map_free_vars = false,
                                             bool skip_tensor_content = false);

  uint64_t operator()(const Any &value) const { return Hash(value); }
};

namespace type_attr {
/// A class's own hash: (object, hash so far, what to call for a value inside with the hash so far
/// and the TVMFFIDefRegionKind that it is in).
inline constexpr reflection::AttrKey<TypedFunction<int64_t(
    const Object *, int64_t, const TypedFunction<int64_t(AnyView, int64_t, int32_t)> &)>>
    kSHash{"__s_hash__"};
} // namespace type_attr

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_STRUCTURAL_HASH_H_
