/// From an object to a reference to it.
#ifndef TVM_FFI_CAST_H_
#define TVM_FFI_CAST_H_

#include <tvm/ffi/object.h>

namespace tvm {
namespace ffi {

/// Whether a reference class of type Ref can hold every ObjectType.
template <typename Ref, typename ObjectType, typename = void>
inline constexpr bool object_ref_contains_v = false;
template <typename Ref, typename ObjectType>
inline constexpr bool
    object_ref_contains_v<Ref, ObjectType, std::void_t<typename Ref::ContainerType>> =
        std::is_base_of_v<typename Ref::ContainerType, ObjectType>;

/// A reference to an object that some other reference holds. `ptr` is not null unless RefType may
/// be.
template <typename RefType, typename ObjectType> inline RefType GetRef(const ObjectType *ptr) {
  static_assert(object_ref_contains_v<RefType, ObjectType>,
                "the reference class cannot hold that object type");
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(
      detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(const_cast<ObjectType *>(ptr)));
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
