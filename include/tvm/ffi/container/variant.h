/// Variant<Types...>: a value of one of some types.
#ifndef TVM_FFI_CONTAINER_VARIANT_H_
#define TVM_FFI_CONTAINER_VARIANT_H_

#include <tvm/ffi/container/container_detail.h>
#include <tvm/ffi/container/tuple.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/// A value that is exactly one of the types: 16 bytes, an Any.
template <typename... Types> class Variant {
  static_assert(detail::all_storage_enabled_v<Types...>, "a Variant holds what an Any can hold");

public:
  static constexpr bool _type_container_is_exact = false;
  /// Whether T can be held: one of the types, or a kind of one of them.
  template <typename T>
  static constexpr bool variant_contains_v = (type_subsumes_v<Types, T> || ...);

  template <typename T>
  using enable_if_variant_contains_t = std::enable_if_t<variant_contains_v<T>>;

  template <typename T, typename = enable_if_variant_contains_t<T>>
  Variant(T value) : data_(std::move(value)) {} // NOLINT(*)
  template <typename... Others,
            typename = std::enable_if_t<!std::is_same_v<Variant<Others...>, Variant> &&
                                        (variant_contains_v<Others> && ...)>>
  Variant(const Variant<Others...> &other) : data_(other.data_) {} // NOLINT(*)
  explicit Variant(UnsafeInit) {}
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Variant);
  template <typename T, typename = std::enable_if_t<variant_contains_v<T>>>
  Variant &operator=(T value) {
    data_ = std::move(value);
    return *this;
  }

  /// The value where it is exactly a T.
  template <typename T, typename = std::enable_if_t<!std::is_base_of_v<Object, T>>>
  std::optional<T> as() const {
    checkContained<T>();
    return data_.template as<T>();
  }
  /// The object where it is a T, else null. Borrowed.
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<Object, T>>, typename = void>
  const T *as() const {
    return data_.template as<T>();
  }
  /// The value as a T; TypeError where it cannot be converted.
  template <typename T> T get() const & {
    checkContained<T>();
    return data_.template cast<T>();
  }
  template <typename T> T get() && {
    checkContained<T>();
    return std::move(data_).template cast<T>();
  }
  /// The value where it is exactly a T; TypeError where it is not.
  template <typename T> T as_or_throw() const & {
    checkContained<T>();
    return data_.template as_or_throw<T>();
  }

  int32_t type_index() const noexcept { return data_.type_index(); }
  std::string GetTypeKey() const { return data_.GetTypeKey(); }
  /// Whether both hold the same value: the same object, or the same 16 bytes.
  bool same_as(const Variant &other) const noexcept { return data_.same_as(other.data_); }
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, T>>>
  bool same_as(const T &other) const noexcept {
    return data_.same_as(static_cast<const ObjectRef &>(other));
  }
  bool operator==(std::nullptr_t) const noexcept { return data_ == nullptr; }
  bool operator!=(std::nullptr_t) const noexcept { return data_ != nullptr; }

private:
  template <typename T> static constexpr void checkContained() {
    static_assert(((std::is_same_v<Types, T> || type_subsumes_v<Types, T>) || ...),
                  "the Variant does not have that type");
  }

  Any data_;

  friend struct ObjectPtrHash;
  template <typename...> friend class Variant;
  friend struct TypeTraits<Variant>;
};

template <typename... Types>
inline size_t ObjectPtrHash::operator()(const Variant<Types...> &value) const {
  static_assert(detail::all_object_ref_v<Types...>, "only references have an address");
  return std::hash<const void *>()(detail::AnyUnsafe::RawObjectPtrFromAnyAfterCheck(value.data_));
}

template <typename... Types, typename T>
inline constexpr bool type_subsumes_v<Variant<Types...>, T> = (type_subsumes_v<Types, T> || ...);
template <typename... Types, typename... Others>
inline constexpr bool type_subsumes_v<Variant<Types...>, Variant<Others...>> =
    (type_subsumes_v<Variant<Types...>, Others> && ...);

template <typename... Types>
inline constexpr bool use_default_type_traits_v<Variant<Types...>> = false;

/// A type that fits exactly, else the first that the value converts to.
template <typename... Types> struct TypeTraits<Variant<Types...>> : TypeTraitsBase {
  using Self = Variant<Types...>;
  static void CopyToAnyView(const Self &src, TVMFFIAny *result) {
    *result = AnyView(src.data_).CopyToTVMFFIAny();
  }
  static void MoveToAny(Self src, TVMFFIAny *result) {
    *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src.data_));
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return (TypeTraits<Types>::CheckAnyStrict(src) || ...);
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    Self result{UnsafeInit{}};
    result.data_ = AnyView::CopyFromTVMFFIAny(*src);
    return result;
  }
  static Self MoveFromAnyAfterCheck(TVMFFIAny *src) {
    Self result{UnsafeInit{}};
    result.data_ = detail::AnyUnsafe::MoveTVMFFIAnyToAny(src);
    return result;
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    std::optional<Self> result;
    (void)((mayBecome<Types>(src) && convert<Types>(src, &result)) || ...);
    return result;
  }
  static std::string TypeStr() {
    return inner::concat("Variant<", inner::join(", ", TypeTraits<Types>::TypeStr()...), ">");
  }
  static std::string TypeSchema() {
    return inner::concat("{\"type\":\"Variant\",\"args\":[",
                         inner::join(",", TypeTraits<Types>::TypeSchema()...), "]}");
  }

private:
  /// Any integer converts to bool; one that is too large for the integer beside it is none.
  template <typename T> static bool mayBecome(const TVMFFIAny *src) {
    constexpr bool hasInteger =
        ((std::is_integral_v<Types> && !std::is_same_v<Types, bool>) || ...);
    return !(hasInteger && std::is_same_v<T, bool> && src->type_index == kTVMFFIInt);
  }
  template <typename T> static bool convert(const TVMFFIAny *src, std::optional<Self> *result) {
    if (std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src))
      result->emplace(Self(T(*std::move(value))));
    return result->has_value();
  }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_VARIANT_H_
