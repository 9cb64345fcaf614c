/// What the containers share: which types they hold, and how their values are read.
#ifndef TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_
#define TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/type_traits.h>

namespace tvm {
namespace ffi {
namespace inner {
template <typename T> inline constexpr bool isObjectPointer = false;
/// A container of pointers owns the objects; what it gives is lent.
template <typename T>
inline constexpr bool isObjectPointer<T *> = std::is_base_of_v<Object, std::remove_const_t<T>>;
} // namespace inner

namespace detail {
/// Whether a container can hold a T.
template <typename T>
inline constexpr bool storage_enabled_v =
    std::is_same_v<T, Any> || TypeTraits<T>::storage_enabled || inner::isObjectPointer<T>;
/// Whether a container can hold each of them.
template <typename... T>
inline constexpr bool all_storage_enabled_v = (storage_enabled_v<T> && ...);
/// Whether each of them is a reference class.
template <typename... T>
inline constexpr bool all_object_ref_v = (std::is_base_of_v<ObjectRef, T> && ...);
} // namespace detail

namespace inner {
/// A value that an Any holds and that is known to be a T.
template <typename T> TVM_FFI_INLINE T readStored(const Any &value) {
  if constexpr (std::is_same_v<T, Any>)
    return value;
  else
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(&rawOf(value));
}

/// The same, moved out: None stays.
template <typename T> TVM_FFI_INLINE T takeStored(Any *value) {
  if constexpr (std::is_same_v<T, Any>) {
    return std::move(*value);
  } else {
    T result = TypeTraits<T>::MoveFromAnyAfterCheck(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value));
    value->reset();
    return result;
  }
}

/// A T as it is made of nothing, None where it cannot be.
template <typename T> Any makeDefault() {
  if constexpr (std::is_default_constructible_v<T>)
    return Any(T());
  else
    return Any();
}
} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_
