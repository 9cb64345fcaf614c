/// Optional<T>: a T or nothing. One pointer for references, a TVMFFIAny for what an Any can hold,
/// and a std::optional for the rest (TensorView).
#ifndef TVM_FFI_OPTIONAL_H_
#define TVM_FFI_OPTIONAL_H_

#include <tvm/ffi/any.h>

#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {

template <typename T, typename = void> class Optional;

namespace inner {
template <typename T> inline constexpr bool isOptional = false;
template <typename T> inline constexpr bool isOptional<Optional<T>> = true;
template <typename T> inline constexpr bool isOptional<std::optional<T>> = true;

template <typename T>
inline constexpr bool isOwningPointer = is_object_ptr_type_v<T> || is_arc_type_v<T>;

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void throwEmptyOptional(const char *text) {
  throwAt("RuntimeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG, text);
}

/// What all three forms share, on top of has_value() and the accessors of the storage.
template <typename Self, typename T> class OptionalQueries {
public:
  using value_type = T;

  explicit operator bool() const noexcept { return self().has_value(); }
  T value() const & {
    if (TVM_FFI_PREDICT_FALSE(!self().has_value()))
      throwEmptyOptional(Self::kEmptyText);
    return *self();
  }
  T value() && {
    if (TVM_FFI_PREDICT_FALSE(!self().has_value()))
      throwEmptyOptional(Self::kEmptyText);
    return *std::move(static_cast<Self &>(*this));
  }
  template <typename U = T> T value_or(U &&fallback) const {
    return self().has_value() ? *self() : T(std::forward<U>(fallback));
  }
  /// AnyView::as of what it holds, or of None.
  template <typename U> auto as() const { return AnyView(self()).template as<U>(); }
  template <typename U> U as_or_throw() const & {
    return AnyView(self()).template as_or_throw<U>();
  }
  /// Leaves nothing behind, unless it throws.
  template <typename U> U as_or_throw() && {
    U result = AnyView(self()).template as_or_throw<U>();
    static_cast<Self &>(*this).reset();
    return result;
  }

  friend bool operator==(const Self &a, std::nullopt_t) { return !a.has_value(); }
  friend bool operator!=(const Self &a, std::nullopt_t) { return a.has_value(); }
  friend bool operator==(std::nullopt_t, const Self &a) { return !a.has_value(); }
  friend bool operator!=(std::nullopt_t, const Self &a) { return a.has_value(); }
  friend bool operator==(const Self &a, std::nullptr_t) { return !a.has_value(); }
  friend bool operator!=(const Self &a, std::nullptr_t) { return a.has_value(); }
  friend bool operator==(const Self &a, const Self &b) {
    if (!a.has_value() || !b.has_value())
      return a.has_value() == b.has_value();
    return *a == *b;
  }
  friend bool operator!=(const Self &a, const Self &b) { return !(a == b); }
  friend bool operator==(const Self &a, const std::optional<T> &b) {
    if (!a.has_value() || !b.has_value())
      return a.has_value() == b.has_value();
    return *a == *b;
  }
  friend bool operator!=(const Self &a, const std::optional<T> &b) { return !(a == b); }
  template <typename U,
            typename = std::enable_if_t<!isOptional<U> && !std::is_same_v<U, std::nullptr_t> &&
                                        !std::is_same_v<U, std::nullopt_t>>>
  friend auto operator==(const Self &a, const U &b) -> decltype(std::declval<T>() == b) {
    return a.has_value() && *a == b;
  }
  template <typename U,
            typename = std::enable_if_t<!isOptional<U> && !std::is_same_v<U, std::nullptr_t> &&
                                        !std::is_same_v<U, std::nullopt_t>>>
  friend auto operator!=(const Self &a, const U &b) -> decltype(std::declval<T>() == b) {
    return !(a == b);
  }

private:
  const Self &self() const noexcept { return static_cast<const Self &>(*this); }
};

/// Apart from Any, whose None is a value.
template <typename T>
inline constexpr bool isStoredInAny = TypeTraits<T>::storage_enabled && !std::is_same_v<T, Any>;

template <typename T>
inline constexpr bool isPointerSized =
    std::is_base_of_v<ObjectRef, T> && sizeof(T) == sizeof(ObjectRef);
} // namespace inner

/// The form for references to objects: one pointer, null for nothing.
template <typename T>
class Optional<T, std::enable_if_t<inner::isPointerSized<T>>>
    : public inner::OptionalQueries<Optional<T>, T> {
public:
  using ContainerType = typename T::ContainerType;
  static constexpr const char *kEmptyText = "Back optional access";

  Optional() = default;
  Optional(std::nullopt_t) {}        // NOLINT(*)
  Optional(std::nullptr_t) {}        // NOLINT(*)
  Optional(std::optional<T> other) { // NOLINT(*)
    if (other)
      *this = *std::move(other);
  }
  Optional(T value) // NOLINT(*)
      : data_(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(std::move(value))) {}
  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<U, T> && std::is_convertible_v<U, T>>>
  Optional(const Optional<U> &other) { // NOLINT(*)
    if (other.has_value())
      *this = T(*other);
  }
  template <typename U,
            typename = std::enable_if_t<!inner::isOptional<std::decay_t<U>> &&
                                        !std::is_same_v<std::decay_t<U>, T> &&
                                        std::is_convertible_v<U, T>>,
            typename = void>
  Optional(U &&value) : Optional(T(std::forward<U>(value))) {} // NOLINT(*)
  explicit Optional(UnsafeInit) {}

  bool has_value() const noexcept { return data_ != nullptr; }
  T operator*() const & { return detail::ObjectUnsafe::ObjectRefFromObjectPtr<T>(data_); }
  T operator*() && { return detail::ObjectUnsafe::ObjectRefFromObjectPtr<T>(std::move(data_)); }
  auto *operator->() const noexcept { return get(); }
  auto *get() const noexcept { return reinterpret_cast<const T *>(this)->get(); }
  void reset() noexcept { data_.reset(); }
  bool same_as(const Optional &other) const noexcept { return data_ == other.data_; }
  bool same_as(const ObjectRef &other) const noexcept { return data_.get() == other.get(); }
  bool unique() const noexcept { return data_.unique(); }
  int use_count() const noexcept { return data_.use_count(); }

private:
  ObjectPtr<Object> data_;

  friend struct TypeTraits<Optional<T>>;
};

/// The form for owning pointers.
template <typename T>
class Optional<T, std::enable_if_t<inner::isOwningPointer<T>>>
    : public inner::OptionalQueries<Optional<T>, T> {
  using Element = std::remove_pointer_t<decltype(std::declval<T>().get())>;

public:
  using ContainerType = Element;
  static constexpr const char *kEmptyText = "Bad optional access";

  Optional() = default;
  Optional(std::nullopt_t) {}                    // NOLINT(*)
  Optional(std::nullptr_t) {}                    // NOLINT(*)
  Optional(T value) : data_(std::move(value)) {} // NOLINT(*)
  Optional(std::optional<T> other) {             // NOLINT(*)
    if (other)
      data_ = *std::move(other);
  }

  bool has_value() const noexcept { return data_ != nullptr; }
  T operator*() const & noexcept { return pointer(ObjectPtr<Element>(data_)); }
  T operator*() && noexcept { return pointer(std::move(data_)); }
  Element *operator->() const noexcept { return data_.get(); }
  Element *get() const noexcept { return data_.get(); }
  void reset() noexcept { data_.reset(); }
  bool same_as(const Optional &other) const noexcept { return data_ == other.data_; }
  bool same_as(const T &other) const noexcept { return data_ == other; }
  bool unique() const noexcept { return data_.unique(); }
  int use_count() const noexcept { return data_.use_count(); }

private:
  static T pointer(ObjectPtr<Element> data) {
    if constexpr (is_arc_type_v<T>)
      return T::UnsafeFromNotNull(std::move(data));
    else
      return data;
  }

  ObjectPtr<Element> data_;
};

/// The form for everything else that an Any can hold: an Any, None for nothing.
template <typename T>
class Optional<T, std::enable_if_t<!inner::isPointerSized<T> && !inner::isOwningPointer<T> &&
                                   inner::isStoredInAny<T>>>
    : public inner::OptionalQueries<Optional<T>, T> {
public:
  static constexpr const char *kEmptyText = "Back optional access";

  Optional() = default;
  Optional(std::nullopt_t) {}        // NOLINT(*)
  Optional(std::nullptr_t) {}        // NOLINT(*)
  Optional(std::optional<T> other) { // NOLINT(*)
    if (other)
      data_ = *std::move(other);
  }
  Optional(T value) : data_(std::move(value)) {} // NOLINT(*)
  template <typename U, typename = std::enable_if_t<!inner::isOptional<std::decay_t<U>> &&
                                                    !std::is_same_v<std::decay_t<U>, T> &&
                                                    std::is_convertible_v<U, T>>>
  Optional(U &&value) : data_(T(std::forward<U>(value))) {} // NOLINT(*)

  bool has_value() const noexcept { return data_ != nullptr; }
  T operator*() const & { return data_.template as_or_throw<T>(); }
  T operator*() && { return std::move(data_).template as_or_throw<T>(); }
  void reset() noexcept { data_.reset(); }
  bool same_as(const Optional &other) const noexcept { return data_.same_as(other.data_); }

private:
  Any data_;

  friend struct TypeTraits<Optional<T>>;
};

/// The form for Any itself and what an Any cannot hold.
template <typename T>
class Optional<T, std::enable_if_t<!inner::isPointerSized<T> && !inner::isOwningPointer<T> &&
                                   !inner::isStoredInAny<T>>>
    : public inner::OptionalQueries<Optional<T>, T> {
public:
  static constexpr const char *kEmptyText = "Back optional access";

  Optional() = default;
  Optional(std::nullopt_t) {}                                   // NOLINT(*)
  Optional(std::optional<T> other) : data_(std::move(other)) {} // NOLINT(*)
  Optional(T value) : data_(std::move(value)) {}                // NOLINT(*)
  template <typename U, typename = std::enable_if_t<!inner::isOptional<std::decay_t<U>> &&
                                                    !std::is_same_v<std::decay_t<U>, T> &&
                                                    std::is_convertible_v<U, T>>>
  Optional(U &&value) : data_(T(std::forward<U>(value))) {} // NOLINT(*)

  bool has_value() const noexcept { return data_.has_value(); }
  const T &operator*() const & noexcept { return *data_; }
  T &operator*() & noexcept { return *data_; }
  T &&operator*() && noexcept { return *std::move(data_); }
  const T *operator->() const noexcept { return &*data_; }
  T *operator->() noexcept { return &*data_; }
  void reset() noexcept { data_.reset(); }

private:
  std::optional<T> data_;
};

template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<Optional<Base>, Optional<Derived>> =
    type_subsumes_v<Base, Derived>;
template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<Optional<Base>, Derived> = type_subsumes_v<Base, Derived>;

/// None, or what T's traits say.
template <typename T> struct TypeTraits<Optional<T>> : TypeTraitsBase {
  static constexpr bool storage_enabled = TypeTraits<T>::storage_enabled;
  static void CopyToAnyView(const Optional<T> &src, TVMFFIAny *result) {
    if (!src.has_value())
      return inner::setNone(result);
    if constexpr (inner::isPointerSized<T>)
      inner::setObject(detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(src.data_), result);
    else if constexpr (inner::isOwningPointer<T>)
      inner::setObject(detail::ObjectUnsafe::GetHeader(src.get()), result);
    else if constexpr (inner::isStoredInAny<T>)
      *result = AnyView(src.data_).CopyToTVMFFIAny();
    else
      TypeTraits<T>::CopyToAnyView(*src, result);
  }
  static void MoveToAny(Optional<T> src, TVMFFIAny *result) {
    if (src.has_value())
      TypeTraits<T>::MoveToAny(*std::move(src), result);
    else
      inner::setNone(result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return src->type_index == kTVMFFINone || TypeTraits<T>::CheckAnyStrict(src);
  }
  static Optional<T> CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFINone)
      return std::nullopt;
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(src);
  }
  static Optional<T> MoveFromAnyAfterCheck(TVMFFIAny *src) {
    if (src->type_index == kTVMFFINone)
      return std::nullopt;
    return TypeTraits<T>::MoveFromAnyAfterCheck(src);
  }
  static std::optional<Optional<T>> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFINone)
      return Optional<T>(std::nullopt);
    if (std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src))
      return Optional<T>(*std::move(value));
    return std::nullopt;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    return TypeTraits<T>::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() { return inner::concat("Optional<", TypeTraits<T>::TypeStr(), ">"); }
  static std::string TypeSchema() {
    return inner::compositeSchema("Optional", TypeTraits<T>::TypeSchema());
  }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_OPTIONAL_H_
