/// TypeTraits: how a C++ type goes into and comes out of a TVMFFIAny. Third parties specialise it
/// for types of their own. Here are the plain types and the references to objects.
///
/// A specialisation has:
/// - convert_enabled: the type may be an argument or a result;
/// - storage_enabled: an Any, and so a container, can hold it;
/// - CopyToAnyView(const T &, TVMFFIAny *): a view, borrowed from the value;
/// - MoveToAny(T, TVMFFIAny *): an owned value;
/// - CheckAnyStrict(const TVMFFIAny *): whether it holds exactly a T;
/// - CopyFromAnyViewAfterCheck, MoveFromAnyAfterCheck: the T that it holds exactly;
/// - TryCastFromAnyView(const TVMFFIAny *): a T by conversion, or nothing;
/// - GetMismatchTypeInfo(const TVMFFIAny *): what it holds instead, for messages;
/// - TypeStr(), TypeSchema(): the type's name in messages, and as JSON.
#ifndef TVM_FFI_TYPE_TRAITS_H_
#define TVM_FFI_TYPE_TRAITS_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

// The bodies of traits are templates, also where a trait is of one type: so a compiler reads, and
// does not compile, what a program does not use.

/// The primary template: a type that the ABI cannot carry.
template <typename T, typename = void> struct TypeTraits {
  static constexpr bool convert_enabled = false;
  static constexpr bool storage_enabled = false;
};

template <typename T>
using TypeTraitsNoCR = TypeTraits<std::remove_const_t<std::remove_reference_t<T>>>;

/// false: a reference class has a TypeTraits of its own.
template <typename T> inline constexpr bool use_default_type_traits_v = true;

/// Whether every value of type Derived also is one of type Base, as it is stored.
template <typename Base, typename Derived, typename = void>
inline constexpr bool type_subsumes_v =
    std::disjunction_v<std::is_same<Base, Any>, std::is_same<Base, Derived>,
                       std::is_base_of<Base, Derived>>;

// Pointers to objects; the pointees need not be complete where they are the same.
template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<ObjectPtr<Base>, ObjectPtr<Derived>> =
    std::disjunction_v<std::is_same<Base, Derived>, std::is_base_of<Base, Derived>>;
template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<ObjectPtr<Base>, Arc<Derived>> =
    type_subsumes_v<ObjectPtr<Base>, ObjectPtr<Derived>>;
template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<Arc<Base>, Arc<Derived>> =
    type_subsumes_v<ObjectPtr<Base>, ObjectPtr<Derived>>;

/// The defaults of a specialisation.
struct TypeTraitsBase {
  static constexpr bool convert_enabled = true;
  static constexpr bool storage_enabled = true;
  static constexpr int32_t field_static_type_index = kTVMFFIAny;

  static std::string GetMismatchTypeInfo(const TVMFFIAny *source) {
    return TypeIndexToTypeKey(source->type_index);
  }
};

/// What a field of type T is known to hold: kTVMFFIAny where that is not one kind alone.
template <typename T, typename = void> struct TypeToFieldStaticTypeIndex {
  static constexpr int32_t value = kTVMFFIAny;
};
template <typename T>
struct TypeToFieldStaticTypeIndex<T, std::enable_if_t<TypeTraits<T>::convert_enabled>> {
  static constexpr int32_t value = TypeTraits<T>::field_static_type_index;
};

/// The type index of what a T refers to; for other types, what their fields hold.
template <typename T, typename = void> struct TypeToRuntimeTypeIndex {
  static int32_t v() { return TypeToFieldStaticTypeIndex<T>::value; }
};

namespace inner {
/// Whether T is a class of objects without const or volatile.
template <typename T>
inline constexpr bool isObjectClass =
    is_object_subclass_v<T> && std::is_same_v<T, std::remove_cv_t<T>>;

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void
throwBadTreat(const std::string &got, const std::string &expected) {
  throwAt("TypeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
          concat("Cannot treat type `", got, "` as type `", expected, "`"));
}

/// The schema of a type without parts.
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline std::string atomSchema(const char *name) {
  return concat("{\"type\":\"", name, "\"}");
}

/// The schema of a type made of one other type.
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline std::string
compositeSchema(const char *name, const std::string &argument) {
  return concat("{\"type\":\"", name, "\",\"args\":[", argument, "]}");
}

inline void setNone(TVMFFIAny *result) {
  result->type_index = kTVMFFINone;
  result->zero_padding = 0;
  result->v_int64 = 0;
}

inline void setInt64(int32_t typeIndex, int64_t value, TVMFFIAny *result) {
  result->type_index = typeIndex;
  result->zero_padding = 0;
  result->v_int64 = value;
}

inline void setPointer(int32_t typeIndex, const void *pointer, TVMFFIAny *result) {
  result->type_index = typeIndex;
  result->zero_padding = 0;
  TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
  result->v_ptr = const_cast<void *>(pointer);
}

/// An object's header or null, as a value: whether it counts is the caller's affair.
inline void setObject(TVMFFIObject *header, TVMFFIAny *result) {
  if (!header) {
    setNone(result);
    return;
  }
  setPointer(header->type_index, header, result);
}

inline bool isObject(const TVMFFIAny *source) {
  return source->type_index >= kTVMFFIStaticObjectBegin;
}
} // namespace inner

//===----------------------------------------------------------------------===//
// Plain values
//===----------------------------------------------------------------------===//

namespace inner {
template <typename T> struct NullTraits : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFINone;
  static void CopyToAnyView(const T &, TVMFFIAny *result) { setNone(result); }
  static void MoveToAny(T, TVMFFIAny *result) { setNone(result); }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFINone; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *) { return nullptr; }
  static T MoveFromAnyAfterCheck(TVMFFIAny *) { return nullptr; }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return nullptr;
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFINone; }
  static std::string TypeSchema() { return atomSchema("None"); }
};
} // namespace inner

template <> struct TypeTraits<std::nullptr_t> : inner::NullTraits<std::nullptr_t> {};

/// A bool that does not accept integers.
class StrictBool {
public:
  StrictBool(bool value) : value_(value) {} // NOLINT(*)
  operator bool() const { return value_; }  // NOLINT(*)

private:
  bool value_;
};

namespace inner {
/// bool and StrictBool, but for what they convert from.
template <typename T, bool FromInt> struct BoolTraits : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIBool;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    setInt64(kTVMFFIBool, static_cast<bool>(src), result);
  }
  static void MoveToAny(T src, TVMFFIAny *result) { CopyToAnyView(src, result); }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIBool; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return src->v_int64 != 0; }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) { return src->v_int64 != 0; }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIBool || (FromInt && src->type_index == kTVMFFIInt))
      return T(src->v_int64 != 0);
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIBool; }
  static std::string TypeSchema() { return atomSchema("bool"); }
};
} // namespace inner

template <> struct TypeTraits<bool> : inner::BoolTraits<bool, true> {};
template <> struct TypeTraits<StrictBool> : inner::BoolTraits<StrictBool, false> {};

namespace inner {
/// Whether an int64 is a value of T. 64-bit unsigned types take the bits as they are.
template <typename T> constexpr bool fitsInteger(int64_t value) {
  if constexpr (sizeof(T) >= sizeof(int64_t))
    return true;
  else
    return value >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
           value <= static_cast<int64_t>(std::numeric_limits<T>::max());
}

/// Integers, and enums through their integers.
template <typename T, typename Integer> struct IntegerTraits : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIInt;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    Integer value = static_cast<Integer>(src);
    if constexpr (std::is_unsigned_v<Integer> && sizeof(Integer) == sizeof(int64_t)) {
      if (TVM_FFI_PREDICT_FALSE(value > static_cast<Integer>(INT64_MAX)))
        TVM_FFI_THROW(OverflowError)
            << "Integer value " << value
            << " is too large to fit in int64_t. Consider explicitly casting to int64_t first if "
               "this is intentional.";
    }
    setInt64(kTVMFFIInt, static_cast<int64_t>(value), result);
  }
  static void MoveToAny(T src, TVMFFIAny *result) { CopyToAnyView(src, result); }
  // An int that T cannot hold is no T: in arguments and containers alike it is a mismatch, not a
  // truncation.
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return src->type_index == kTVMFFIInt && fitsInteger<Integer>(src->v_int64);
  }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return static_cast<T>(src->v_int64); }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) { return static_cast<T>(src->v_int64); }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if ((src->type_index == kTVMFFIInt || src->type_index == kTVMFFIBool) &&
        fitsInteger<Integer>(src->v_int64))
      return static_cast<T>(src->v_int64);
    return std::nullopt;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    if (src->type_index != kTVMFFIInt || fitsInteger<Integer>(src->v_int64))
      return TypeTraitsBase::GetMismatchTypeInfo(src);
    return concat("int ", std::to_string(src->v_int64), ", which does not fit ",
                  std::to_string(8 * sizeof(Integer)),
                  std::is_signed_v<Integer> ? " bits" : " unsigned bits");
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIInt; }
  static std::string TypeSchema() { return atomSchema("int"); }
};
} // namespace inner

/// The traits of integers. A specialisation for an integer-like type may inherit them.
template <typename Int> struct TypeTraitsIntBase : inner::IntegerTraits<Int, Int> {
  static void CopyInt64ToAnyView(int64_t src, TVMFFIAny *result) {
    inner::setInt64(kTVMFFIInt, src, result);
  }
};

template <typename T>
struct TypeTraits<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
    : TypeTraitsIntBase<T> {};

template <typename T>
struct TypeTraits<T, std::enable_if_t<std::is_enum_v<T> && use_default_type_traits_v<T> &&
                                      std::is_integral_v<std::underlying_type_t<T>>>>
    : inner::IntegerTraits<T, std::underlying_type_t<T>> {};

template <typename T>
struct TypeTraits<T, std::enable_if_t<std::is_floating_point_v<T>>> : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIFloat;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    result->type_index = kTVMFFIFloat;
    result->zero_padding = 0;
    result->v_float64 = static_cast<double>(src);
  }
  static void MoveToAny(T src, TVMFFIAny *result) { CopyToAnyView(src, result); }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIFloat; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    return static_cast<T>(src->v_float64);
  }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) { return static_cast<T>(src->v_float64); }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIFloat)
      return static_cast<T>(src->v_float64);
    if (src->type_index == kTVMFFIInt || src->type_index == kTVMFFIBool)
      return static_cast<T>(src->v_int64);
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIFloat; }
  static std::string TypeSchema() { return inner::atomSchema("float"); }
};

namespace inner {
template <typename T> struct PointerTraits : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIOpaquePtr;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    setPointer(kTVMFFIOpaquePtr, src, result);
  }
  static void MoveToAny(T src, TVMFFIAny *result) { CopyToAnyView(src, result); }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIOpaquePtr; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return src->v_ptr; }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) { return src->v_ptr; }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIOpaquePtr)
      return src->v_ptr;
    if (src->type_index == kTVMFFINone)
      return T(nullptr);
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIOpaquePtr; }
  static std::string TypeSchema() { return atomSchema("void*"); }
};
} // namespace inner

template <> struct TypeTraits<void *> : inner::PointerTraits<void *> {};

namespace inner {
template <typename T> struct LentTensorTraits : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static constexpr int32_t field_static_type_index = kTVMFFIDLTensorPtr;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    setPointer(kTVMFFIDLTensorPtr, src, result);
  }
  static void MoveToAny(T, TVMFFIAny *) {
    TVM_FFI_THROW(RuntimeError)
        << "DLTensor* cannot be held in Any as it does not retain ownership, use Tensor instead";
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIDLTensorPtr; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return static_cast<T>(src->v_ptr); }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIDLTensorPtr)
      return static_cast<T>(src->v_ptr);
    if (src->type_index == kTVMFFITensor)
      return TVMFFITensorGetDLTensorPtr(src->v_obj);
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIDLTensorPtr; }
  static std::string TypeSchema() { return atomSchema("DLTensor*"); }
};
} // namespace inner

/// A tensor that is only lent: an argument, never a result.
template <> struct TypeTraits<DLTensor *> : inner::LentTensorTraits<DLTensor *> {};

//===----------------------------------------------------------------------===//
// References to objects
//===----------------------------------------------------------------------===//

/// The traits of a reference class. A specialisation may inherit them and override some.
template <typename ObjRef> struct ObjectRefTypeTraitsBase : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIObject;
  using ContainerType = typename ObjRef::ContainerType;

  static void CopyToAnyView(const ObjRef &src, TVMFFIAny *result) {
    inner::setObject(detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(src), result);
  }
  static void MoveToAny(ObjRef src, TVMFFIAny *result) {
    inner::setObject(detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(src)), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    if constexpr (ObjRef::_type_is_nullable) {
      if (src->type_index == kTVMFFINone)
        return true;
    }
    return inner::isObject(src) && detail::IsObjectInstance<ContainerType>(src->type_index);
  }
  static ObjRef CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    if constexpr (ObjRef::_type_is_nullable) {
      if (src->type_index == kTVMFFINone)
        return detail::ObjectUnsafe::ObjectRefFromObjectPtr<ObjRef>(ObjectPtr<Object>());
    }
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<ObjRef>(
        detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(src->v_obj));
  }
  static ObjRef MoveFromAnyAfterCheck(TVMFFIAny *src) {
    if constexpr (ObjRef::_type_is_nullable) {
      if (src->type_index == kTVMFFINone)
        return detail::ObjectUnsafe::ObjectRefFromObjectPtr<ObjRef>(ObjectPtr<Object>());
    }
    TVMFFIObject *object = src->v_obj;
    inner::setNone(src);
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<ObjRef>(
        detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(object));
  }
  static std::optional<ObjRef> TryCastFromAnyView(const TVMFFIAny *src) {
    if (TypeTraits<ObjRef>::CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  static std::string TypeStr() { return ContainerType::_type_key; }
  static std::string TypeSchema() { return inner::atomSchema(ContainerType::_type_key); }
};

template <typename T>
struct TypeTraits<T,
                  std::enable_if_t<std::is_base_of_v<ObjectRef, T> && use_default_type_traits_v<T>>>
    : ObjectRefTypeTraitsBase<T> {};

namespace inner {
/// Tries to make a T of the first Fallback that `src` converts to.
template <typename T, typename Fallback, typename... Rest>
std::optional<T> tryFallbacks(const TVMFFIAny *src) {
  static_assert(!std::is_same_v<Fallback, bool>,
                "a bool fallback would accept every integer; use StrictBool");
  if (std::optional<Fallback> value = TypeTraits<Fallback>::TryCastFromAnyView(src))
    return TypeTraits<T>::ConvertFallbackValue(*std::move(value));
  if constexpr (sizeof...(Rest) > 0)
    return tryFallbacks<T, Rest...>(src);
  else
    return std::nullopt;
}
} // namespace inner

/// The traits of a reference class that can also be made of other types. The specialisation has
/// `ConvertFallbackValue(F)` for each.
template <typename ObjRef, typename... Fallback>
struct ObjectRefWithFallbackTraitsBase : ObjectRefTypeTraitsBase<ObjRef> {
  static std::optional<ObjRef> TryCastFromAnyView(const TVMFFIAny *src) {
    if (auto result = ObjectRefTypeTraitsBase<ObjRef>::TryCastFromAnyView(src))
      return result;
    return TryFallbackTypes<Fallback...>(src);
  }
  template <typename... Types> static std::optional<ObjRef> TryFallbackTypes(const TVMFFIAny *src) {
    return inner::tryFallbacks<ObjRef, Types...>(src);
  }
};

/// The traits of a type that arguments are converted to and that is never stored.
template <typename T, typename... Fallback> struct FallbackOnlyTraitsBase : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    return TryFallbackTypes<Fallback...>(src);
  }
  template <typename... Types> static std::optional<T> TryFallbackTypes(const TVMFFIAny *src) {
    return inner::tryFallbacks<T, Types...>(src);
  }
};

/// An owning pointer to an object, or null.
template <typename T>
struct TypeTraits<ObjectPtr<T>, std::enable_if_t<inner::isObjectClass<T>>> : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIObject;
  static void CopyToAnyView(const ObjectPtr<T> &src, TVMFFIAny *result) {
    inner::setObject(detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(src), result);
  }
  static void MoveToAny(ObjectPtr<T> src, TVMFFIAny *result) {
    inner::setObject(detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(src)), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return src->type_index == kTVMFFINone ||
           (inner::isObject(src) && detail::IsObjectInstance<T>(src->type_index));
  }
  static ObjectPtr<T> CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFINone)
      return nullptr;
    return detail::ObjectUnsafe::ObjectPtrFromUnowned<T>(src->v_obj);
  }
  static ObjectPtr<T> MoveFromAnyAfterCheck(TVMFFIAny *src) {
    if (src->type_index == kTVMFFINone)
      return nullptr;
    TVMFFIObject *object = src->v_obj;
    inner::setNone(src);
    return detail::ObjectUnsafe::ObjectPtrFromOwned<T>(object);
  }
  static std::optional<ObjectPtr<T>> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  static std::string TypeStr() { return T::_type_key; }
  static std::string TypeSchema() {
    return inner::compositeSchema("Optional", inner::atomSchema(T::_type_key));
  }
};

/// An owning pointer that is never null.
template <typename T>
struct TypeTraits<Arc<T>, std::enable_if_t<inner::isObjectClass<T>>> : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIObject;
  static void CopyToAnyView(const Arc<T> &src, TVMFFIAny *result) {
    TypeTraits<ObjectPtr<T>>::CopyToAnyView(src, result);
  }
  static void MoveToAny(Arc<T> src, TVMFFIAny *result) {
    TypeTraits<ObjectPtr<T>>::MoveToAny(std::move(src), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return inner::isObject(src) && detail::IsObjectInstance<T>(src->type_index);
  }
  static Arc<T> CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    return Arc<T>::UnsafeFromNotNull(detail::ObjectUnsafe::ObjectPtrFromUnowned<T>(src->v_obj));
  }
  static Arc<T> MoveFromAnyAfterCheck(TVMFFIAny *src) {
    return Arc<T>::UnsafeFromNotNull(TypeTraits<ObjectPtr<T>>::MoveFromAnyAfterCheck(src));
  }
  static std::optional<Arc<T>> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  static std::string TypeStr() { return T::_type_key; }
  static std::string TypeSchema() { return inner::atomSchema(T::_type_key); }
};

/// An object that is only lent. Without const it takes a type that is declared mutable.
template <typename T>
struct TypeTraits<T *, std::enable_if_t<std::is_base_of_v<Object, std::remove_const_t<T>>>>
    : TypeTraitsBase {
  using ObjectType = std::remove_const_t<T>;
  static constexpr bool storage_enabled = false;
  static constexpr int32_t field_static_type_index = kTVMFFIObject;
  static void CopyToAnyView(T *const &src, TVMFFIAny *result) {
    inner::setObject(src ? detail::ObjectUnsafe::GetHeader(src) : nullptr, result);
  }
  static void MoveToAny(T *src, TVMFFIAny *result) {
    CopyToAnyView(src, result);
    if (src)
      inner::incRef(result->v_obj);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return inner::isObject(src) && detail::IsObjectInstance<ObjectType>(src->type_index);
  }
  static T *CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    static_assert(std::is_const_v<T> || ObjectType::_type_mutable,
                  "a type that is not declared mutable is passed as a pointer to const");
    return static_cast<ObjectType *>(reinterpret_cast<Object *>(src->v_obj));
  }
  static std::optional<T *> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  static std::string TypeStr() { return ObjectType::_type_key; }
  static std::string TypeSchema() { return inner::atomSchema(ObjectType::_type_key); }
};

template <typename T>
struct TypeToRuntimeTypeIndex<T, std::enable_if_t<std::is_base_of_v<ObjectRef, T>>> {
  static int32_t v() { return T::ContainerType::RuntimeTypeIndex(); }
};
template <typename T>
struct TypeToRuntimeTypeIndex<ObjectPtr<T>, std::enable_if_t<inner::isObjectClass<T>>> {
  static int32_t v() { return T::RuntimeTypeIndex(); }
};
template <typename T>
struct TypeToRuntimeTypeIndex<Arc<T>, std::enable_if_t<inner::isObjectClass<T>>>
    : TypeToRuntimeTypeIndex<ObjectPtr<T>> {};

namespace inner {
/// Whether a reference is a RefType, by the value that it is.
template <typename RefType> bool refIs(const ObjectRef &ref, TVMFFIAny *view) {
  setObject(detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(ref), view);
  return TypeTraits<RefType>::CheckAnyStrict(view);
}
template <typename RefType> void requireRef(const ObjectRef &ref) {
  TVMFFIAny view;
  if (!refIs<RefType>(ref, &view))
    throwBadTreat(TypeTraits<RefType>::GetMismatchTypeInfo(&view), TypeTraits<RefType>::TypeStr());
}
} // namespace inner

template <typename RefType, typename, typename>
inline std::optional<RefType> ObjectRef::as() const & {
  TVMFFIAny view;
  if (!inner::refIs<RefType>(*this, &view))
    return std::nullopt;
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(data_);
}
template <typename RefType, typename, typename> inline std::optional<RefType> ObjectRef::as() && {
  TVMFFIAny view;
  if (!inner::refIs<RefType>(*this, &view))
    return std::nullopt;
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(std::move(data_));
}
template <typename RefType, typename> inline RefType ObjectRef::as_or_throw() const & {
  inner::requireRef<RefType>(*this);
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(data_);
}
template <typename RefType, typename> inline RefType ObjectRef::as_or_throw() && {
  inner::requireRef<RefType>(*this);
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<RefType>(std::move(data_));
}

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_TYPE_TRAITS_H_
