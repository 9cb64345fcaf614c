/// What the containers share: which types they hold.
#ifndef TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_
#define TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/type_traits.h>

namespace tvm {
namespace ffi {
namespace detail {
/// Whether a container can hold a T.
template <typename T>
inline constexpr bool storage_enabled_v = std::is_same_v<T, Any> || TypeTraits<T>::storage_enabled;
/// Whether a container can hold each of them.
template <typename... T>
inline constexpr bool all_storage_enabled_v = (storage_enabled_v<T> && ...);
} // namespace detail
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_
