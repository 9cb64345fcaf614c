/// From an object to a reference to it.
#ifndef TVM_FFI_CAST_H_
#define TVM_FFI_CAST_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>

#include <optional>

namespace tvm {
namespace ffi {

template <typename T, typename> class Optional;

namespace inner {
template <typename T> inline constexpr bool isOptionalRef = false;
template <typename T> inline constexpr bool isOptionalRef<Optional<T, void>> = true;
} // namespace inner

/// A reference to an object that some other reference holds. `ptr` is not null unless RefType may
/// be; an Optional is empty then.
template <typename RefType, typename ObjectType> inline RefType GetRef(const ObjectType *ptr) {
  if constexpr (inner::isOptionalRef<RefType>) {
    if (!ptr)
      return RefType(std::nullopt);
    return RefType(GetRef<typename RefType::value_type>(ptr));
  } else {
    static_assert(object_ref_contains_v<RefType, ObjectType>,
                  "the reference class cannot hold that object type");
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(
        detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(const_cast<ObjectType *>(ptr)));
  }
}

/// An owning pointer to an object that some other reference holds.
template <typename BaseType, typename ObjectType>
inline ObjectPtr<BaseType> GetObjectPtr(ObjectType *ptr) {
  static_assert(std::is_base_of_v<BaseType, ObjectType>, "BaseType must be a base of ObjectType");
  return detail::ObjectUnsafe::ObjectPtrFromUnowned<BaseType>(
      static_cast<Object *>(const_cast<std::remove_const_t<ObjectType> *>(ptr)));
}

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CAST_H_
