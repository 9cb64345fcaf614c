/// Objects and references to them, and the macros that declare new object types.
#ifndef TVM_FFI_OBJECT_H_
#define TVM_FFI_OBJECT_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/inner/object_base.h>
#include <tvm/ffi/inner/object_ptr.h>

#include <optional>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi {

class Any;
class AnyView;
template <typename... Types> class Variant;

/// Whether T is a reference class. Specialised by none: it follows from the bases.
template <typename T> inline constexpr bool is_objectref_v = std::is_base_of_v<ObjectRef, T>;

/// The base of all reference classes: 8 bytes, one strong reference or null.
class ObjectRef {
public:
  using ContainerType = Object;
  static constexpr bool _type_is_nullable = true;
  /// Whether every object of ContainerType may be referred to, or the class asks for more.
  static constexpr bool _type_container_is_exact = true;

  ObjectRef() = default;
  ObjectRef(const ObjectRef &other) = default;
  ObjectRef(ObjectRef &&other) noexcept = default;
  ObjectRef &operator=(const ObjectRef &other) = default;
  ObjectRef &operator=(ObjectRef &&other) noexcept = default;
  explicit ObjectRef(ObjectPtr<Object> data) noexcept : data_(std::move(data)) {}
  explicit ObjectRef(UnsafeInit) noexcept {}

  bool same_as(const ObjectRef &other) const noexcept { return data_ == other.data_; }
  bool operator==(const ObjectRef &other) const noexcept { return data_ == other.data_; }
  bool operator!=(const ObjectRef &other) const noexcept { return data_ != other.data_; }
  bool operator<(const ObjectRef &other) const noexcept {
    return std::less<const Object *>()(data_.get(), other.data_.get());
  }
  bool defined() const noexcept { return data_ != nullptr; }
  const Object *get() const noexcept { return data_.get(); }
  const Object *operator->() const noexcept { return get(); }
  bool unique() const noexcept { return data_.unique(); }
  int use_count() const noexcept { return data_.use_count(); }

  /// The object's type index, kTVMFFINone for null.
  int32_t type_index() const noexcept { return data_ ? data_->type_index() : kTVMFFINone; }
  std::string GetTypeKey() const { return TypeIndexToTypeKey(type_index()); }

  /// The object as an ObjectType, null where it is another type or null.
  template <typename ObjectType, typename = std::enable_if_t<std::is_base_of_v<Object, ObjectType>>>
  const ObjectType *as() const & {
    if (data_ && data_->template IsInstance<ObjectType>())
      return static_cast<ObjectType *>(data_.get());
    return nullptr;
  }

  /// The reference as a RefType, empty where the object is another type, or null and a RefType
  /// never is.
  template <typename RefType, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType>>,
            typename = void>
  std::optional<RefType> as() const &;
  template <typename RefType, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType>>,
            typename = void>
  std::optional<RefType> as() &&;

  /// The same for a reference that is known to fit; TypeError where it does not.
  template <typename RefType, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType>>>
  RefType as_or_throw() const &;
  template <typename RefType, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType>>>
  RefType as_or_throw() &&;

protected:
  Object *get_mutable() const noexcept { return data_.get(); }

  ObjectPtr<Object> data_;

  friend struct detail::ObjectUnsafe;
};

static_assert(sizeof(ObjectRef) == sizeof(void *), "a reference is one pointer");

/// Whether every ObjectType can be referred to by a RefType. A class whose references hold some
/// objects of its ContainerType alone may specialise it.
template <typename RefType, typename ObjectType,
          typename = std::enable_if_t<std::is_base_of_v<ObjectRef, RefType> &&
                                      std::is_base_of_v<Object, ObjectType>>>
inline constexpr bool object_ref_contains_v =
    RefType::_type_container_is_exact &&
    std::is_base_of_v<typename RefType::ContainerType, ObjectType>;

/// Hashes references by the object's address.
struct ObjectPtrHash {
  size_t operator()(const ObjectRef &ref) const { return std::hash<const void *>()(ref.get()); }
  template <typename T> size_t operator()(const ObjectPtr<T> &ptr) const {
    return std::hash<const void *>()(ptr.get());
  }
  template <typename... Types> size_t operator()(const Variant<Types...> &value) const;
};

/// Compares references by the object's address.
struct ObjectPtrEqual {
  bool operator()(const ObjectRef &a, const ObjectRef &b) const { return a.same_as(b); }
  template <typename T> bool operator()(const ObjectPtr<T> &a, const ObjectPtr<T> &b) const {
    return a == b;
  }
  template <typename... Types>
  bool operator()(const Variant<Types...> &a, const Variant<Types...> &b) const {
    return a.same_as(b);
  }
};

namespace inner {
/// The index of a type, asked for when it is read.
template <typename T> struct TypeIndexOf {
  operator int32_t() const { return T::RuntimeTypeIndex(); } // NOLINT(*)
};

/// The index of a type key that may be registered later; -2 until it is.
class LookedUpTypeIndex {
public:
  explicit LookedUpTypeIndex(const char *key) : key(key) {}
  int32_t get() {
    int32_t known = __atomic_load_n(&index, __ATOMIC_ACQUIRE);
    if (TVM_FFI_PREDICT_TRUE(known != -2))
      return known;
    TVMFFIByteArray bytes{key.data(), key.size()};
    known = TVMFFITypeGetOrAllocIndex(&bytes, -1, 0, 0, 1, -2);
    // The type itself was registered by another thread, perhaps: who reads the index has to see it.
    __atomic_store_n(&index, known, __ATOMIC_RELEASE);
    return known;
  }

private:
  std::string_view key;
  int32_t index = -2;
};
} // namespace inner

namespace detail {
template <typename Ref>
inline Ref ObjectUnsafe::ObjectRefFromObjectPtr(const ObjectPtr<Object> &ptr) {
  Ref ref(UnsafeInit{});
  static_cast<ObjectRef &>(ref).data_ = ptr;
  return ref;
}
template <typename Ref> inline Ref ObjectUnsafe::ObjectRefFromObjectPtr(ObjectPtr<Object> &&ptr) {
  Ref ref(UnsafeInit{});
  static_cast<ObjectRef &>(ref).data_ = std::move(ptr);
  return ref;
}
template <typename T, typename Ref>
inline ObjectPtr<T> ObjectUnsafe::ObjectPtrFromObjectRef(const Ref &ref) {
  return ObjectPtr<T>(static_cast<const ObjectRef &>(ref).data_.data_);
}
template <typename T, typename Ref>
inline std::enable_if_t<!std::is_lvalue_reference_v<Ref>, ObjectPtr<T>>
ObjectUnsafe::ObjectPtrFromObjectRef(Ref &&ref) {
  ObjectPtr<T> result;
  result.data_ = std::exchange(static_cast<ObjectRef &>(ref).data_.data_, nullptr);
  return result;
}
inline Object *ObjectUnsafe::RawObjectPtrFromObjectRef(const ObjectRef &ref) noexcept {
  return ref.data_.get();
}
inline TVMFFIObject *ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(const ObjectRef &ref) noexcept {
  return TVMFFIObjectPtrFromObjectPtr(ref.data_);
}
inline TVMFFIObject *ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(ObjectRef &&ref) noexcept {
  return MoveObjectPtrToTVMFFIObjectPtr(std::move(ref.data_));
}

/// Checks at compile time what a new object type inherits.
template <typename Type, typename Parent> constexpr bool checkObjectDeclaration() {
  static_assert(!Parent::_type_final, "the parent type is final");
  static_assert(Type::_type_child_slots == 0 || Parent::_type_child_slots == 0 ||
                    Type::_type_child_slots < Parent::_type_child_slots,
                "a child must ask for fewer slots than its parent has");
  static_assert(!Parent::_type_s_eq_hash_subclass_kind_fixed ||
                    Type::_type_s_eq_hash_kind == Parent::_type_s_eq_hash_kind,
                "the parent type fixes _type_s_eq_hash_kind");
  return true;
}
} // namespace detail
} // namespace ffi
} // namespace tvm

/// Asks the type table for TypeName's index, once a process.
#define TVM_FFI_INNER_REGISTER_OBJECT_TYPE_(TypeName, ParentType, StaticIndex)                     \
  static int32_t _GetOrAllocRuntimeTypeIndex() {                                                   \
    static_assert(::tvm::ffi::detail::checkObjectDeclaration<TypeName, ParentType>());             \
    static int32_t tindex = [] {                                                                   \
      std::string_view key = TypeName::_type_key;                                                  \
      TVMFFIByteArray bytes{key.data(), key.size()};                                               \
      return TVMFFITypeGetOrAllocIndex(                                                            \
          &bytes, StaticIndex, TypeName::_type_depth,                                              \
          static_cast<int32_t>(TypeName::_type_child_slots),                                       \
          static_cast<int32_t>(TypeName::_type_child_slots_can_overflow),                          \
          ParentType::_GetOrAllocRuntimeTypeIndex());                                              \
    }();                                                                                           \
    return tindex;                                                                                 \
  }

/// Declares an object type whose key is already in `_type_key` and whose index is given out at
/// load.
#define TVM_FFI_DECLARE_OBJECT_INFO_PREDEFINED_TYPE_KEY(TypeName, ParentType)                      \
  static constexpr int32_t _type_depth = ParentType::_type_depth + 1;                              \
  TVM_FFI_INNER_REGISTER_OBJECT_TYPE_(TypeName, ParentType, -1)                                    \
  static int32_t RuntimeTypeIndex() { return _GetOrAllocRuntimeTypeIndex(); }                      \
  static inline int32_t _type_index = _GetOrAllocRuntimeTypeIndex()

/// The same for a type that the library itself registers: no program has to do it at load.
#define TVM_FFI_INNER_DECLARE_LIBRARY_OBJECT_(TypeKey, TypeName, ParentType)                       \
  static constexpr const char *_type_key = TypeKey;                                                \
  static constexpr int32_t _type_depth = ParentType::_type_depth + 1;                              \
  TVM_FFI_INNER_REGISTER_OBJECT_TYPE_(TypeName, ParentType, -1)                                    \
  static int32_t RuntimeTypeIndex() { return _GetOrAllocRuntimeTypeIndex(); }                      \
  static constexpr ::tvm::ffi::inner::TypeIndexOf<TypeName> _type_index {}

/// Declares an object type: its key, and an index that is given out at load.
#define TVM_FFI_DECLARE_OBJECT_INFO(TypeKey, TypeName, ParentType)                                 \
  static constexpr const char *_type_key = TypeKey;                                                \
  TVM_FFI_DECLARE_OBJECT_INFO_PREDEFINED_TYPE_KEY(TypeName, ParentType)

/// The same for a type without children.
#define TVM_FFI_DECLARE_OBJECT_INFO_FINAL(TypeKey, TypeName, ParentType)                           \
  static constexpr bool _type_final = true;                                                        \
  static constexpr uint32_t _type_child_slots = 0;                                                 \
  TVM_FFI_DECLARE_OBJECT_INFO(TypeKey, TypeName, ParentType)

/// The same for a type with a fixed `_type_index` that the class defines.
#define TVM_FFI_DECLARE_OBJECT_INFO_STATIC(TypeKey, TypeName, ParentType)                          \
  static constexpr const char *_type_key = TypeKey;                                                \
  static constexpr int32_t _type_depth = ParentType::_type_depth + 1;                              \
  TVM_FFI_INNER_REGISTER_OBJECT_TYPE_(TypeName, ParentType, TypeName::_type_index)                 \
  static int32_t RuntimeTypeIndex() noexcept { return TypeName::_type_index; }

/// Declares an object type that another library defines, by its key and depth alone. Its index is
/// looked up when it is asked for; until the type is registered, no object is one.
#define TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP(TypeKey, TypeDepth)                                     \
  static constexpr const char *_type_key = TypeKey;                                                \
  static constexpr int32_t _type_depth = TypeDepth;                                                \
  static int32_t RuntimeTypeIndex() {                                                              \
    static ::tvm::ffi::inner::LookedUpTypeIndex tindex{_type_key};                                 \
    return tindex.get();                                                                           \
  }                                                                                                \
  static int32_t _GetOrAllocRuntimeTypeIndex() { return RuntimeTypeIndex(); }

#define TVM_FFI_INNER_REF_ACCESS_(TypeName, ObjectName)                                            \
  using ContainerType = ObjectName;                                                                \
  using inner_ObjectType_ =                                                                        \
      std::conditional_t<ObjectName::_type_mutable, ObjectName, const ObjectName>;                 \
  explicit TypeName(::tvm::ffi::UnsafeInit tag) : inner_ParentRef_(tag) {}                         \
  inner_ObjectType_ *operator->() const noexcept { return get(); }                                 \
  inner_ObjectType_ *get() const noexcept { return static_cast<ObjectName *>(data_.get()); }       \
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName)

/// The members of a reference class that may be null.
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TypeName, ParentType, ObjectName)               \
  using inner_ParentRef_ = ParentType;                                                             \
  static constexpr bool _type_is_nullable = true;                                                  \
  TypeName() = default;                                                                            \
  explicit TypeName(::tvm::ffi::ObjectPtr<ObjectName> n)                                           \
      : inner_ParentRef_(::tvm::ffi::UnsafeInit{}) {                                               \
    data_ = std::move(n);                                                                          \
  }                                                                                                \
  TVM_FFI_INNER_REF_ACCESS_(TypeName, ObjectName)

/// The members of a reference class that is never null (but after it was moved from).
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TypeName, ParentType, ObjectName)            \
  using inner_ParentRef_ = ParentType;                                                             \
  static constexpr bool _type_is_nullable = false;                                                 \
  TVM_FFI_INNER_REF_ACCESS_(TypeName, ObjectName)

namespace std {
template <> struct hash<::tvm::ffi::ObjectRef> {
  size_t operator()(const ::tvm::ffi::ObjectRef &ref) const {
    return std::hash<const void *>()(ref.get());
  }
};
} // namespace std
#endif // TVM_FFI_OBJECT_H_
