/// The object header in C++: reference counts, the type of an object, and the deleter's protocol.
#ifndef TVM_FFI_INNER_OBJECT_BASE_H_
#define TVM_FFI_INNER_OBJECT_BASE_H_

#include <tvm/ffi/base_detail.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi {
namespace inner {
/// The parts in one string. Not a chain of +, of which gcc 12 warns at C++20.
TVM_FFI_NO_INLINE inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (std::string_view part : parts)
    text.append(part.data(), part.size());
  return text;
}
template <typename... Parts> TVM_FFI_INLINE std::string concat(const Parts &...parts) {
  return joined({std::string_view(parts)...});
}
} // namespace inner

class Object;
template <typename T> class ObjectPtr;
template <typename T> class WeakObjectPtr;

namespace inner {
/// One strong reference, and the weak one that all strong references share.
constexpr uint64_t kCountBothOne = (uint64_t(1) << 32) | 1;
constexpr uint64_t kCountWeakOne = uint64_t(1) << 32;
constexpr uint64_t kCountStrongMask = 0xFFFFFFFFu;

// gcc follows integers into the branch for objects, and sees a write through them.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
inline void incRef(TVMFFIObject *header) noexcept {
  __atomic_fetch_add(&header->combined_ref_count, 1, __ATOMIC_RELAXED);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

inline void incWeakRef(TVMFFIObject *header) noexcept {
  __atomic_fetch_add(&header->combined_ref_count, kCountWeakOne, __ATOMIC_RELAXED);
}

/// Sees everything that other owners did before they let go. A load, not a fence: thread sanitizers
/// understand it, and it is as cheap.
inline void acquireCount(TVMFFIObject *header) noexcept {
  (void)__atomic_load_n(&header->combined_ref_count, __ATOMIC_ACQUIRE);
}

inline void runDeleter(TVMFFIObject *header, int flags) noexcept {
  if (header->deleter)
    header->deleter(header, flags);
}

inline void decWeakRef(TVMFFIObject *header) noexcept {
  uint64_t old = __atomic_fetch_sub(&header->combined_ref_count, kCountWeakOne, __ATOMIC_RELEASE);
  if (old == kCountWeakOne) {
    acquireCount(header);
    runDeleter(header, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }
}

inline void decRef(TVMFFIObject *header) noexcept {
  uint64_t old = __atomic_fetch_sub(&header->combined_ref_count, 1, __ATOMIC_RELEASE);
  if (old == kCountBothOne) {
    acquireCount(header);
    runDeleter(header, kTVMFFIObjectDeleterFlagBitMaskBoth);
  } else if ((old & kCountStrongMask) == 1) {
    acquireCount(header);
    runDeleter(header, kTVMFFIObjectDeleterFlagBitMaskStrong);
    decWeakRef(header);
  }
}

/// Makes a strong reference of a weak one; false where the object is gone.
inline bool tryPromote(TVMFFIObject *header) noexcept {
  uint64_t old = __atomic_load_n(&header->combined_ref_count, __ATOMIC_RELAXED);
  while ((old & kCountStrongMask) != 0) {
    if (__atomic_compare_exchange_n(&header->combined_ref_count, &old, old + 1, true,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return true;
  }
  return false;
}
} // namespace inner

namespace detail {
struct ObjectUnsafe;
template <typename TargetType> TVM_FFI_INLINE bool IsObjectInstance(int32_t object_type_index);
} // namespace detail

/// The base of all objects. A subclass may have bases before it, so that the header need not lie at
/// the subclass's own address: go from one to the other with static_cast only.
class Object {
protected:
  TVMFFIObject header_;

public:
  static constexpr const char *_type_key = StaticTypeKey::kTVMFFIObject;
  static constexpr bool _type_final = false;
  /// Whether a reference hands out a non-const pointer.
  static constexpr bool _type_mutable = false;
  /// Type indices kept free after the type's own for its children.
  static constexpr uint32_t _type_child_slots = 0;
  static constexpr bool _type_child_slots_can_overflow = true;
  static constexpr int32_t _type_index = kTVMFFIObject;
  static constexpr int32_t _type_depth = 0;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUnsupported;
  /// Whether children must keep this type's _type_s_eq_hash_kind.
  static constexpr bool _type_s_eq_hash_subclass_kind_fixed = false;

  Object() noexcept {
    header_.combined_ref_count = 0;
    header_.type_index = 0;
    header_.__padding = 0;
    header_.__ensure_align = 0;
    header_.deleter = nullptr;
  }
  // A copy is a new object: the header is not copied.
  Object(const Object &) noexcept : Object() {}
  Object &operator=(const Object &) noexcept { return *this; }

  /// Whether the object is a TargetType or one of its children.
  template <typename TargetType> bool IsInstance() const {
    return detail::IsObjectInstance<TargetType>(header_.type_index);
  }

  /// Whether this is the only reference, weak ones included. If so, it sees everything that former
  /// owners did.
  bool unique() const noexcept {
    return __atomic_load_n(&header_.combined_ref_count, __ATOMIC_ACQUIRE) == inner::kCountBothOne;
  }

  /// The number of strong references; for information where other threads hold some.
  uint64_t use_count() const noexcept {
    return __atomic_load_n(&header_.combined_ref_count, __ATOMIC_RELAXED) & inner::kCountStrongMask;
  }

  int32_t type_index() const noexcept { return header_.type_index; }

  std::string GetTypeKey() const { return TypeIndex2Key(header_.type_index); }
  uint64_t GetTypeKeyHash() const { return TVMFFIGetTypeInfo(header_.type_index)->type_key_hash; }
  static std::string TypeIndex2Key(int32_t type_index) {
    const TVMFFIByteArray &key = TVMFFIGetTypeInfo(type_index)->type_key;
    return std::string(key.data, key.size);
  }

  static int32_t RuntimeTypeIndex() noexcept { return kTVMFFIObject; }
  static int32_t _GetOrAllocRuntimeTypeIndex() noexcept { return kTVMFFIObject; }

private:
  friend struct detail::ObjectUnsafe;
  template <typename> friend class ObjectPtr;
  template <typename> friend class WeakObjectPtr;
};

static_assert(sizeof(Object) == 24, "the object header is 24 bytes");

/// Whether T is a class of objects. Specialise it for a class that is only declared yet.
template <typename T> inline constexpr bool is_object_subclass_v = std::is_base_of_v<Object, T>;

namespace detail {
/// Whether an object of type `object_type_index` is a TargetType. Most answers need two compares.
template <typename TargetType> inline bool IsObjectInstance(int32_t object_type_index) {
  static_assert(std::is_base_of_v<Object, TargetType>, "TargetType must be an Object");
  if constexpr (std::is_same_v<TargetType, Object>) {
    return object_type_index >= kTVMFFIStaticObjectBegin;
  } else if constexpr (TargetType::_type_final) {
    return object_type_index == TargetType::RuntimeTypeIndex();
  } else {
    int32_t target = TargetType::RuntimeTypeIndex();
    if (object_type_index == target)
      return true;
    // A child's index is always larger than its parent's.
    if (object_type_index < target)
      return false;
    if constexpr (TargetType::_type_child_slots != 0) {
      if (object_type_index <= target + static_cast<int32_t>(TargetType::_type_child_slots))
        return true;
    }
    if constexpr (!TargetType::_type_child_slots_can_overflow)
      return false;
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(object_type_index);
    return info->type_depth > TargetType::_type_depth &&
           info->type_ancestors[TargetType::_type_depth]->type_index == target;
  }
}
} // namespace detail

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_OBJECT_BASE_H_
