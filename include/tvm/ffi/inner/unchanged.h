/// Unchanged and UnchangedOr<T>: what structural mutation makes of a value.
#ifndef TVM_FFI_INNER_UNCHANGED_H_
#define TVM_FFI_INNER_UNCHANGED_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/reflection/accessor.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/// No new value: what was there stays.
struct Unchanged {
  TVMFFIAny CopyToTVMFFIAny() const noexcept {
    TVMFFIAny result;
    result.type_index = kTVMFFIUnchanged;
    result.zero_padding = 0;
    result.v_int64 = 0;
    return result;
  }
};

template <> struct TypeTraits<Unchanged> : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIUnchanged;
  static void CopyToAnyView(const Unchanged &src, TVMFFIAny *result) {
    *result = src.CopyToTVMFFIAny();
  }
  static void MoveToAny(Unchanged src, TVMFFIAny *result) { *result = src.CopyToTVMFFIAny(); }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIUnchanged; }
  static Unchanged CopyFromAnyViewAfterCheck(const TVMFFIAny *) { return Unchanged(); }
  static Unchanged MoveFromAnyAfterCheck(TVMFFIAny *) { return Unchanged(); }
  static std::optional<Unchanged> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return Unchanged();
    return std::nullopt;
  }
  static std::string TypeStr() { return "ffi.Unchanged"; }
  static std::string TypeSchema() { return inner::atomSchema("ffi.Unchanged"); }
};

template <typename T> class UnchangedOr;

namespace inner {
template <typename T> inline constexpr bool isUnchangedOr = false;
template <typename T> inline constexpr bool isUnchangedOr<UnchangedOr<T>> = true;
/// What an UnchangedOr is not made of as a value.
template <typename U>
inline constexpr bool isMutationOutcome =
    std::is_same_v<U, Unchanged> || isUnchangedOr<U> || isExpected<U> || isUnexpected<U> ||
    std::is_base_of_v<Error, U>;
} // namespace inner

/// A new value, or nothing new: 16 bytes, an Any. The value can be taken once, out of an rvalue.
template <typename T> class UnchangedOr {
public:
  UnchangedOr(Unchanged unchanged) noexcept // NOLINT(*)
      : data_(::tvm::ffi::detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(unchanged.CopyToTVMFFIAny())) {}
  UnchangedOr(T value) : data_(std::move(value)) {} // NOLINT(*)
  template <typename U, typename = std::enable_if_t<!std::is_same_v<std::decay_t<U>, T> &&
                                                    !inner::isMutationOutcome<std::decay_t<U>> &&
                                                    std::is_convertible_v<U, T>>>
  UnchangedOr(U &&value) : UnchangedOr(T(std::forward<U>(value))) {} // NOLINT(*)
  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<U, T> &&
                                        (std::is_same_v<T, Any> || std::is_convertible_v<U, T>)>,
            typename = void>
  UnchangedOr(UnchangedOr<U> other) // NOLINT(*)
      : data_(std::is_same_v<T, Any> || other.IsUnchanged()
                  ? std::move(other.data_)
                  : Any(T(std::move(other).ValueUnchecked()))) {}

  bool IsUnchanged() const noexcept { return data_.type_index() == kTVMFFIUnchanged; }
  /// Whether there is nothing new, or what is new is the original itself.
  template <typename U> bool UnchangedOrSameAs(const U &original) const noexcept {
    return IsUnchanged() || AnyView(data_).same_as(AnyView(original));
  }
  /// The new value, `original` where there is none.
  T ValueOrUnchanged(const T &original) && {
    return IsUnchanged() ? original : std::move(*this).ValueUnchecked();
  }
  T ValueOrUnchanged(T &&original) && {
    return IsUnchanged() ? std::move(original) : std::move(*this).ValueUnchecked();
  }
  template <typename View,
            typename = std::enable_if_t<std::is_same_v<View, AnyView> && std::is_same_v<T, Any>>>
  Any ValueOrUnchanged(View original) && {
    return IsUnchanged() ? Any(original) : std::move(data_);
  }
  /// The new value, which has to be there.
  T ValueUnchecked() && {
    return ::tvm::ffi::detail::AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(data_));
  }
  /// As a U, which may be an UnchangedOr of a narrower type; empty where it is none.
  template <typename U> std::optional<U> as() && { return std::move(data_).template as<U>(); }
  /// The same; TypeError where it is none.
  template <typename U> U as_or_throw() && { return std::move(data_).template as_or_throw<U>(); }

private:
  struct FromRaw {};
  UnchangedOr(FromRaw, Any data) : data_(std::move(data)) {}

  Any data_;

  template <typename> friend class UnchangedOr;
  friend struct TypeTraits<UnchangedOr<T>>;
};

template <typename T> struct TypeTraits<UnchangedOr<T>> : TypeTraitsBase {
  using Self = UnchangedOr<T>;
  static void CopyToAnyView(const Self &src, TVMFFIAny *result) {
    *result = AnyView(src.data_).CopyToTVMFFIAny();
  }
  static void MoveToAny(Self src, TVMFFIAny *result) {
    *result = ::tvm::ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src.data_));
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return src->type_index == kTVMFFIUnchanged || TypeTraits<T>::CheckAnyStrict(src);
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIUnchanged)
      return Unchanged();
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(src);
  }
  static Self MoveFromAnyAfterCheck(TVMFFIAny *src) {
    return Self(typename Self::FromRaw(), ::tvm::ffi::detail::AnyUnsafe::MoveTVMFFIAnyToAny(src));
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIUnchanged)
      return Self(Unchanged());
    if (std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src))
      return Self(*std::move(value));
    return std::nullopt;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    return TypeTraits<T>::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() {
    return inner::concat("UnchangedOr<", TypeTraits<T>::TypeStr(), ">");
  }
  static std::string TypeSchema() {
    return inner::concat("{\"type\":\"UnchangedOr\",\"args\":[", TypeTraits<T>::TypeSchema(), "]}");
  }
};
static_assert(sizeof(UnchangedOr<Any>) == 16, "layout of UnchangedOr");

template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<UnchangedOr<Base>, UnchangedOr<Derived>> =
    type_subsumes_v<Base, Derived>;
template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<UnchangedOr<Base>, Derived> =
    std::is_same_v<Derived, Unchanged> || type_subsumes_v<Base, Derived>;

namespace detail {
/// Between an UnchangedOr and the raw value behind, whose reference goes along.
struct UnchangedOrUnsafe {
  template <typename T> static TVMFFIAny MoveToTVMFFIAny(UnchangedOr<T> &&src) noexcept {
    TVMFFIAny raw;
    TypeTraits<UnchangedOr<T>>::MoveToAny(std::move(src), &raw);
    return raw;
  }
  /// Of a value that is known to be Unchanged or a T.
  template <typename T> static UnchangedOr<T> MoveFromTVMFFIAny(TVMFFIAny raw) {
    return TypeTraits<UnchangedOr<T>>::MoveFromAnyAfterCheck(&raw);
  }
};
} // namespace detail

namespace inner {
/// A copy of an object that shares what it holds. RuntimeError where its type says nothing of
/// copies.
inline Any shallowCopy(AnyView value) {
  static const reflection::TypeAttrColumn column(type_attr::kShallowCopy);
  AnyView copy = column[value.type_index()];
  if (copy == nullptr)
    TVM_FFI_THROW(RuntimeError) << "Cannot copy an object of type `" << value.GetTypeKey()
                                << "`: it does not define `__ffi_shallow_copy__`";
  return copy.as_or_throw<Function>()(value);
}

/// What a mutation to another type than is due returns.
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline Error mutateTypeError() {
  return Error("TypeError", "A structural mutation made a value of another type than is due",
               std::string());
}
} // namespace inner

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_UNCHANGED_H_
