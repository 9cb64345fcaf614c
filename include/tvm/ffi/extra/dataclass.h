/// Values as data: showing, comparing, hashing and copying them with everything inside, by what is
/// registered of their types.
#ifndef TVM_FFI_EXTRA_DATACLASS_H_
#define TVM_FFI_EXTRA_DATACLASS_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <ostream>
#include <type_traits>

namespace tvm {
namespace ffi {

/// A copy of a value and of all objects that it holds; an object that is held twice is copied once.
/// Strings, bytes, shapes and integers are shared. RuntimeError for an object whose class cannot be
/// copied.
TVM_FFI_EXTRA_CXX_API Any DeepCopy(const Any &value);

/// A value as text: containers as in Python, objects as `key(field=value, ...)`, `...` where an
/// object holds itself.
TVM_FFI_EXTRA_CXX_API String ReprPrint(const Any &value);

/// A hash of a value and of all that it holds: values that are RecursiveEq have one hash.
/// ValueError for a class with its own equality but no hash.
TVM_FFI_EXTRA_CXX_API int64_t RecursiveHash(const Any &value);

/// Whether two values, with all that they hold, are equal. Values of different types are not.
TVM_FFI_EXTRA_CXX_API bool RecursiveEq(const Any &lhs, const Any &rhs);

/// The order of two values: fields and elements one after the other, None first. TypeError for
/// values of different types, and for those that have no order.
TVM_FFI_EXTRA_CXX_API bool RecursiveLt(const Any &lhs, const Any &rhs);
TVM_FFI_EXTRA_CXX_API bool RecursiveLe(const Any &lhs, const Any &rhs);
TVM_FFI_EXTRA_CXX_API bool RecursiveGt(const Any &lhs, const Any &rhs);
TVM_FFI_EXTRA_CXX_API bool RecursiveGe(const Any &lhs, const Any &rhs);

/// What a class may bring of its own. The last parameter of each is what to call for the values
/// inside.
namespace type_attr {
inline constexpr reflection::AttrKey<
    TypedFunction<String(const Object *, const TypedFunction<String(AnyView)> &)>>
    kRepr{"__ffi_repr__"};
inline constexpr reflection::AttrKey<
    TypedFunction<int64_t(const Object *, const TypedFunction<int64_t(AnyView)> &)>>
    kHash{"__ffi_hash__"};
inline constexpr reflection::AttrKey<TypedFunction<bool(
    const Object *, const Object *, const TypedFunction<bool(AnyView, AnyView)> &)>>
    kEq{"__ffi_eq__"};
/// Less than 0, 0 or more than 0.
inline constexpr reflection::AttrKey<TypedFunction<int32_t(
    const Object *, const Object *, const TypedFunction<int32_t(AnyView, AnyView)> &)>>
    kCompare{"__ffi_compare__"};
} // namespace type_attr

// ReprPrint. What converts to an Any (Bytes, Arc, a view) is printed as one, as published.
inline std::ostream &operator<<(std::ostream &os, const Any &value) {
  return os << ReprPrint(value);
}
inline std::ostream &operator<<(std::ostream &os, const ObjectRef &value) {
  return os << ReprPrint(Any(value));
}
template <typename... Types>
inline std::ostream &operator<<(std::ostream &os, const Variant<Types...> &value) {
  return os << ReprPrint(Any(value));
}
template <typename T> inline std::ostream &operator<<(std::ostream &os, const Optional<T> &value) {
  return os << (value.has_value() ? ReprPrint(Any(*value)) : String("None"));
}

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_DATACLASS_H_
