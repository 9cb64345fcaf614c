/// Equality of values by their structure.
#ifndef TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_
#define TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdint>

namespace tvm {
namespace ffi {

/// Whether values are the same but for the identity of their objects and the naming of variables.
/// Classes say by their structural kind how their objects compare.
class StructuralEqual {
public:
  /// `map_free_vars`: a free variable equals another that stands in its place everywhere.
  /// `skip_tensor_content`: tensors compare by shape and dtype alone. TypeError for an object whose
  /// class has no structural kind.
  TVM_FFI_EXTRA_CXX_API static bool Equal(const Any &lhs, const Any &rhs,
                                          bool map_free_vars = false,
                                          bool skip_tensor_content = false);

  /// The ways to the first place where the values differ; empty where they are equal.
  TVM_FFI_EXTRA_CXX_API static Optional<reflection::AccessPathPair>
  GetFirstMismatch(const Any &lhs, const Any &rhs, bool map_free_vars = false,
                   bool skip_tensor_content = false);

  bool operator()(const Any &lhs, const Any &rhs) const { return Equal(lhs, rhs); }
};

namespace type_attr {
/// A class's own equality: (object, object, what to call for values inside with the
/// TVMFFIDefRegionKind that they are in and their field's name, or None).
inline constexpr reflection::AttrKey<
    TypedFunction<bool(const Object *, const Object *,
                       const TypedFunction<bool(AnyView, AnyView, int32_t, AnyView)> &)>>
    kSEqual{"__s_equal__"};
} // namespace type_attr

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_
