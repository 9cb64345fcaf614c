/// AnyView and Any: a value of any type in 16 bytes, lent or owned.
#ifndef TVM_FFI_ANY_H_
#define TVM_FFI_ANY_H_

#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {

namespace detail {
struct AnyUnsafe;
} // namespace detail

namespace inner {
template <typename T>
inline constexpr bool isAny = std::is_same_v<T, Any> || std::is_same_v<T, AnyView>;

/// Whether Any and AnyView are made of a T through its traits. Does not ask for Any's own traits,
/// which need Any first.
template <typename T> inline constexpr bool isConvertible = TypeTraits<T>::convert_enabled;
template <> inline constexpr bool isConvertible<Any> = false;
template <> inline constexpr bool isConvertible<AnyView> = false;

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void
throwBadCast(const std::string &got, const std::string &expected) {
  throwAt("TypeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
          concat("Cannot convert from type `", got, "` to `", expected, "`"));
}

/// The queries that AnyView and Any share. None of them changes the value.
template <typename Derived> class AnyQueries {
public:
  int32_t type_index() const noexcept { return raw()->type_index; }
  std::string GetTypeKey() const { return TypeIndexToTypeKey(raw()->type_index); }

  /// The value where it is exactly a T, without conversion.
  template <typename T, typename = std::enable_if_t<!std::is_base_of_v<Object, T>>>
  std::optional<T> as() const {
    if constexpr (isAny<T>) {
      return T(static_cast<const Derived &>(*this));
    } else {
      if (!TypeTraits<T>::CheckAnyStrict(raw()))
        return std::nullopt;
      return TypeTraits<T>::CopyFromAnyViewAfterCheck(raw());
    }
  }
  /// The object where it is a T or one of T's children, else null. Borrowed.
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<Object, T>>, typename = void>
  const T *as() const {
    return as<const T *>().value_or(nullptr);
  }
  /// The same for a value that is known to be one; TypeError where it is not.
  template <typename T> T as_or_throw() const {
    if constexpr (isAny<T>) {
      return T(static_cast<const Derived &>(*this));
    } else {
      if (TVM_FFI_PREDICT_FALSE(!TypeTraits<T>::CheckAnyStrict(raw())))
        throwBadTreat(TypeTraits<T>::GetMismatchTypeInfo(raw()), TypeTraits<T>::TypeStr());
      return TypeTraits<T>::CopyFromAnyViewAfterCheck(raw());
    }
  }
  /// The value converted to T, if it can be.
  template <typename T> std::optional<T> try_cast() const {
    if constexpr (isAny<T>)
      return T(static_cast<const Derived &>(*this));
    else
      return TypeTraits<T>::TryCastFromAnyView(raw());
  }
  /// The value converted to T; TypeError where it cannot be.
  template <typename T> T cast() const {
    std::optional<T> result = try_cast<T>();
    if (TVM_FFI_PREDICT_FALSE(!result)) {
      if constexpr (!isAny<T>)
        throwBadCast(TypeTraits<T>::GetMismatchTypeInfo(raw()), TypeTraits<T>::TypeStr());
    }
    return *std::move(result);
  }

  bool operator==(std::nullptr_t) const noexcept { return raw()->type_index == kTVMFFINone; }
  bool operator!=(std::nullptr_t) const noexcept { return raw()->type_index != kTVMFFINone; }

protected:
  AnyQueries() = default;

private:
  const TVMFFIAny *raw() const noexcept { return &static_cast<const Derived *>(this)->data_; }
};
} // namespace inner

/// A value that is lent: trivially copyable, valid as long as what it was made of.
class AnyView : public inner::AnyQueries<AnyView> {
public:
  AnyView() noexcept { inner::setNone(&data_); }
  AnyView(const AnyView &) = default;
  AnyView &operator=(const AnyView &) = default;
  AnyView(const Any &other) noexcept; // NOLINT(*)
  template <typename T, typename = std::enable_if_t<inner::isConvertible<T>>>
  AnyView(const T &value) { // NOLINT(*)
    TypeTraits<T>::CopyToAnyView(value, &data_);
  }
  template <typename T, typename = std::enable_if_t<inner::isConvertible<T>>>
  AnyView &operator=(const T &value) {
    TypeTraits<T>::CopyToAnyView(value, &data_);
    return *this;
  }

  void reset() noexcept { inner::setNone(&data_); }
  void swap(AnyView &other) noexcept { std::swap(data_, other.data_); }
  /// Whether both hold the same 16 bytes.
  bool same_as(const AnyView &other) const noexcept {
    return data_.type_index == other.data_.type_index &&
           data_.zero_padding == other.data_.zero_padding && data_.v_uint64 == other.data_.v_uint64;
  }
  TVMFFIAny CopyToTVMFFIAny() const noexcept { return data_; }
  static AnyView CopyFromTVMFFIAny(TVMFFIAny data) noexcept {
    AnyView result;
    result.data_ = data;
    return result;
  }

private:
  TVMFFIAny data_;

  friend class Any;
  friend class inner::AnyQueries<AnyView>;
  friend struct detail::AnyUnsafe;
};

namespace inner {
/// Makes an owned value of a view in place.
inline void ownView(TVMFFIAny *data) {
  switch (data->type_index) {
  case kTVMFFIRawStr:
    TypeTraits<String>::MoveToAny(String(data->v_c_str), data);
    return;
  case kTVMFFIByteArrayPtr:
    TypeTraits<Bytes>::MoveToAny(Bytes(*static_cast<TVMFFIByteArray *>(data->v_ptr)), data);
    return;
  case kTVMFFIObjectRValueRef: {
    auto *slot = static_cast<TVMFFIObject **>(data->v_ptr);
    TVMFFIObject *object = std::exchange(*slot, nullptr);
    if (!object) {
      setNone(data);
      throwAt("InternalError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG, "RValueRef already moved");
    }
    setObject(object, data);
    return;
  }
  default:
    if (isObject(data))
      incRef(data->v_obj);
  }
}
} // namespace inner

/// A value that is owned.
class Any : public inner::AnyQueries<Any> {
public:
  Any() noexcept { inner::setNone(&data_); }
  Any(const Any &other) noexcept : data_(other.data_) {
    if (inner::isObject(&data_))
      inner::incRef(data_.v_obj);
  }
  Any(Any &&other) noexcept : data_(other.data_) { inner::setNone(&other.data_); }
  Any(const AnyView &view) : data_(view.data_) { inner::ownView(&data_); } // NOLINT(*)
  template <typename T, typename = std::enable_if_t<inner::isConvertible<T>>>
  Any(T value) { // NOLINT(*)
    // None first: MoveToAny may throw.
    inner::setNone(&data_);
    TypeTraits<T>::MoveToAny(std::move(value), &data_);
  }
  ~Any() { reset(); }

  Any &operator=(const Any &other) noexcept {
    Any(other).swap(*this);
    return *this;
  }
  Any &operator=(Any &&other) noexcept {
    Any(std::move(other)).swap(*this);
    return *this;
  }
  Any &operator=(const AnyView &other) {
    Any(other).swap(*this);
    return *this;
  }
  template <typename T, typename = std::enable_if_t<inner::isConvertible<T>>>
  Any &operator=(T value) {
    Any(std::move(value)).swap(*this);
    return *this;
  }

  void reset() noexcept {
    TVMFFIAny old = data_;
    inner::setNone(&data_);
    if (inner::isObject(&old))
      inner::decRef(old.v_obj);
  }
  void swap(Any &other) noexcept { std::swap(data_, other.data_); }

  /// Whether both hold the same value: the same object, or the same 16 bytes.
  bool same_as(const Any &other) const noexcept {
    return data_.type_index == other.data_.type_index &&
           data_.zero_padding == other.data_.zero_padding && data_.v_uint64 == other.data_.v_uint64;
  }
  bool same_as(const ObjectRef &other) const noexcept {
    TVMFFIObject *object = detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(other);
    if (!inner::isObject(&data_))
      return data_.type_index == kTVMFFINone && !object;
    return data_.v_obj == object;
  }

  using Queries = inner::AnyQueries<Any>;
  template <typename T, typename = std::enable_if_t<!std::is_base_of_v<Object, T>>>
  std::optional<T> as() const & {
    return Queries::as<T>();
  }
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<Object, T>>, typename = void>
  const T *as() const & {
    return Queries::as<T>();
  }
  template <typename T> T as_or_throw() const & { return Queries::as_or_throw<T>(); }
  template <typename T> T cast() const & { return Queries::cast<T>(); }

  // Of a value that goes, an exact T is moved out.
  template <typename T, typename = std::enable_if_t<!std::is_base_of_v<Object, T>>>
  std::optional<T> as() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else if constexpr (TypeTraits<T>::storage_enabled) {
      if (!TypeTraits<T>::CheckAnyStrict(&data_))
        return std::nullopt;
      return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
    } else {
      return Queries::as<T>();
    }
  }
  template <typename T> T as_or_throw() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else {
      if constexpr (TypeTraits<T>::storage_enabled) {
        if (TVM_FFI_PREDICT_TRUE(TypeTraits<T>::CheckAnyStrict(&data_)))
          return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
      }
      return Queries::as_or_throw<T>();
    }
  }
  template <typename T> T cast() && {
    if constexpr (std::is_same_v<T, Any>) {
      return std::move(*this);
    } else {
      if constexpr (TypeTraits<T>::storage_enabled) {
        if (TVM_FFI_PREDICT_TRUE(TypeTraits<T>::CheckAnyStrict(&data_)))
          return TypeTraits<T>::MoveFromAnyAfterCheck(&data_);
      }
      return Queries::cast<T>();
    }
  }

private:
  TVMFFIAny data_;

  friend class AnyView;
  friend class inner::AnyQueries<Any>;
  friend struct detail::AnyUnsafe;
};

inline AnyView::AnyView(const Any &other) noexcept : data_(other.data_) {}

static_assert(sizeof(Any) == 16 && sizeof(AnyView) == 16, "layout of Any");
static_assert(std::is_standard_layout_v<AnyView> && std::is_trivially_copyable_v<AnyView>,
              "views are plain data");

namespace inner {
template <typename T> struct AnyTraits : TypeTraitsBase {
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    *result = AnyView(src).CopyToTVMFFIAny();
  }
  static void MoveToAny(T src, TVMFFIAny *result) {
    *result = AnyView(src).CopyToTVMFFIAny();
    new (&src) T(); // its reference is the result's now
  }
  static bool CheckAnyStrict(const TVMFFIAny *) { return true; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    return T(AnyView::CopyFromTVMFFIAny(*src));
  }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) {
    T result;
    std::swap(*reinterpret_cast<TVMFFIAny *>(&result), *src);
    return result;
  }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    return CopyFromAnyViewAfterCheck(src);
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIAny; }
  static std::string TypeSchema() { return atomSchema("Any"); }
};
} // namespace inner

/// An Any inside containers, Optional and the like: everything is one.
template <> struct TypeTraits<Any> : inner::AnyTraits<Any> {};

namespace inner {
template <typename T> struct AnyViewTraits : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) { *result = src.CopyToTVMFFIAny(); }
  static void MoveToAny(T src, TVMFFIAny *result) { TypeTraits<Any>::MoveToAny(Any(src), result); }
  static bool CheckAnyStrict(const TVMFFIAny *) { return true; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return T::CopyFromTVMFFIAny(*src); }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    return CopyFromAnyViewAfterCheck(src);
  }
  static std::string TypeStr() { return "AnyView"; }
  static std::string TypeSchema() { return atomSchema("Any"); }
};
} // namespace inner

/// A view as a parameter.
template <> struct TypeTraits<AnyView> : inner::AnyViewTraits<AnyView> {};

namespace detail {
/// Makes views that were copied from arguments owned values, in place.
inline void InplaceConvertAnyViewToAny(TVMFFIAny *data, size_t count = 1) {
  for (size_t i = 0; i < count; ++i)
    inner::ownView(data + i);
}

/// Access to the raw value, for code that upholds ownership itself.
struct AnyUnsafe {
  static TVMFFIAny MoveAnyToTVMFFIAny(Any &&any) noexcept {
    TVMFFIAny result = any.data_;
    inner::setNone(&any.data_);
    return result;
  }
  static Any MoveTVMFFIAnyToAny(TVMFFIAny *data) noexcept {
    Any result;
    std::swap(result.data_, *data);
    return result;
  }
  static Any MoveTVMFFIAnyToAny(TVMFFIAny data) noexcept { return MoveTVMFFIAnyToAny(&data); }
  static Any MoveTVMFFIAnyRawToAny(TVMFFIAny data) noexcept { return MoveTVMFFIAnyToAny(&data); }
  static TVMFFIAny *TVMFFIAnyPtrFromAny(Any *any) noexcept { return &any->data_; }
  static const TVMFFIAny *TVMFFIAnyPtrFromAny(const Any &any) noexcept { return &any.data_; }

  template <typename T> static bool CheckAnyStrict(const Any &any) {
    return TypeTraits<T>::CheckAnyStrict(&any.data_);
  }
  template <typename T> static bool CheckAnyViewStrict(const AnyView &view) {
    return TypeTraits<T>::CheckAnyStrict(&view.data_);
  }
  template <typename T> static T CopyFromAnyViewAfterCheck(const Any &any) {
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(&any.data_);
  }
  template <typename T> static T MoveFromAnyAfterCheck(Any &&any) {
    return TypeTraits<T>::MoveFromAnyAfterCheck(&any.data_);
  }
  template <typename T> static std::string GetMismatchTypeInfo(const Any &any) {
    return TypeTraits<T>::GetMismatchTypeInfo(&any.data_);
  }
  template <typename T = Object> static T *RawObjectPtrFromAnyAfterCheck(const Any &any) noexcept {
    return static_cast<T *>(reinterpret_cast<Object *>(any.data_.v_obj));
  }
  template <typename T = Object>
  static T *RawObjectPtrFromAnyViewAfterCheck(const AnyView &view) noexcept {
    return static_cast<T *>(reinterpret_cast<Object *>(view.data_.v_obj));
  }
  /// The name before 0.1.15.
  static Object *ObjectPtrFromAnyAfterCheck(const Any &any) noexcept {
    return RawObjectPtrFromAnyAfterCheck(any);
  }
};
} // namespace detail

} // namespace ffi

using ffi::Any;
using ffi::AnyView;
} // namespace tvm

#include <tvm/ffi/inner/any_hash.h> // AnyHash, AnyEqual

#endif // TVM_FFI_ANY_H_
