/// Expected<T>: a T or an Error, for functions that report errors without a throw.
#ifndef TVM_FFI_EXPECTED_H_
#define TVM_FFI_EXPECTED_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>

#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/// An error on its way into an Expected: `return Unexpected(Error(...));`
template <typename E = Error> class Unexpected {
  static_assert(std::is_base_of_v<Error, std::remove_cv_t<E>>, "an Unexpected holds an Error");

public:
  explicit Unexpected(E error) : error_(std::move(error)) {}
  const E &error() const & noexcept { return error_; }
  E &error() & noexcept { return error_; }
  const E &&error() const && noexcept { return std::move(error_); }
  E &&error() && noexcept { return std::move(error_); }

private:
  E error_;
};

template <typename T> class Expected;

namespace detail {
struct ExpectedUnsafe;
} // namespace detail

namespace inner {
template <typename T> inline constexpr bool isExpected = false;
template <typename T> inline constexpr bool isExpected<Expected<T>> = true;
template <typename T> inline constexpr bool isUnexpected = false;
template <typename E> inline constexpr bool isUnexpected<Unexpected<E>> = true;

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void throwNoError() {
  throwAt("RuntimeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
          "Bad expected access: contains value, not error");
}

/// What Expected<T> and Expected<void> share: 16 bytes, an Any that holds an Error or the value.
class ExpectedBase {
public:
  bool is_err() const noexcept { return data_.type_index() == kTVMFFIError; }
  bool is_ok() const noexcept { return !is_err(); }
  bool has_value() const noexcept { return is_ok(); }
  explicit operator bool() const noexcept { return is_ok(); }
  /// The index of what is there: the error's, or the value's.
  int32_t type_index() const noexcept { return data_.type_index(); }
  /// The error; RuntimeError where there is none.
  Error error() const & {
    if (TVM_FFI_PREDICT_FALSE(!is_err()))
      throwNoError();
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<Error>(data_);
  }
  Error error() && {
    if (TVM_FFI_PREDICT_FALSE(!is_err()))
      throwNoError();
    return detail::AnyUnsafe::MoveFromAnyAfterCheck<Error>(std::move(data_));
  }

protected:
  ExpectedBase() = default;
  explicit ExpectedBase(Any data) : data_(std::move(data)) {}
  void throwIfError() const {
    if (TVM_FFI_PREDICT_FALSE(is_err()))
      throw error();
  }

  Any data_;

  friend struct detail::ExpectedUnsafe;
  template <typename, typename> friend struct ::tvm::ffi::TypeTraits;
  template <typename> friend class ::tvm::ffi::Expected;
};
} // namespace inner

/// A T, or the Error that came instead of it.
template <typename T> class Expected : public inner::ExpectedBase {
  static_assert(!std::is_base_of_v<Error, T>, "an Error cannot be the value of an Expected");
  static_assert(std::is_same_v<T, Any> || TypeTraits<T>::storage_enabled,
                "an Expected holds what an Any can hold");

public:
  using value_type = T;

  Expected(T value) : ExpectedBase(Any(std::move(value))) {}     // NOLINT(*)
  Expected(Error error) : ExpectedBase(Any(std::move(error))) {} // NOLINT(*)
  template <typename E>
  Expected(Unexpected<E> error) : ExpectedBase(Any(Error(std::move(error).error()))) {} // NOLINT(*)
  template <typename U,
            typename = std::enable_if_t<
                std::is_convertible_v<U &&, T> && !std::is_same_v<std::decay_t<U>, T> &&
                !std::is_base_of_v<Error, std::decay_t<U>> && !inner::isExpected<std::decay_t<U>> &&
                !inner::isUnexpected<std::decay_t<U>>>>
  Expected(U &&value) : Expected(T(std::forward<U>(value))) {} // NOLINT(*)
  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<U, T> && std::is_convertible_v<U, T>>>
  Expected(Expected<U> other) // NOLINT(*)
      : ExpectedBase(other.is_err() ? Any(std::move(other).error())
                                    : Any(T(std::move(other).value()))) {}

  /// The value; throws the error where there is one instead.
  T value() const & {
    throwIfError();
    return data_.template as_or_throw<T>();
  }
  T value() && {
    throwIfError();
    return std::move(data_).template as_or_throw<T>();
  }
  template <typename U = T> T value_or(U &&fallback) const & {
    return is_ok() ? value() : T(std::forward<U>(fallback));
  }
  template <typename U = T> T value_or(U &&fallback) && {
    return is_ok() ? std::move(*this).value() : T(std::forward<U>(fallback));
  }
  /// The value where it is exactly a U; an Error, TypeError without backtrace, where it is not.
  template <typename U> Expected<U> as_or_error() const & {
    return Expected(*this).template as_or_error<U>();
  }
  template <typename U> Expected<U> as_or_error() && {
    if (is_err())
      return std::move(*this).error();
    if constexpr (std::is_same_v<U, Any>) {
      return std::move(data_);
    } else {
      if (std::optional<U> result = std::move(data_).template as<U>())
        return *std::move(result);
      return Error("TypeError",
                   inner::concat("Cannot treat type `",
                                 detail::AnyUnsafe::GetMismatchTypeInfo<U>(data_), "` as type `",
                                 TypeTraits<U>::TypeStr(), "`"),
                   std::string());
    }
  }
};

/// Nothing, or the Error that came instead.
template <> class Expected<void> : public inner::ExpectedBase {
public:
  using value_type = void;

  Expected() = default;
  Expected(Error error) : ExpectedBase(Any(std::move(error))) {} // NOLINT(*)
  template <typename E>
  Expected(Unexpected<E> error) : ExpectedBase(Any(Error(std::move(error).error()))) {} // NOLINT(*)
  /// Throws the error where there is one.
  void value() const { throwIfError(); }
};

static_assert(sizeof(Expected<int>) == 16, "layout of Expected");

namespace inner {
/// What an Any holds for a T; None for void.
template <typename T> using StoredAs = std::conditional_t<std::is_void_v<T>, std::nullptr_t, T>;
} // namespace inner

template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<Expected<Base>, Expected<Derived>> =
    type_subsumes_v<inner::StoredAs<Base>, inner::StoredAs<Derived>>;

namespace detail {
/// Access to the Any behind, for code that knows what it holds.
struct ExpectedUnsafe {
  template <typename T> static const Any &GetData(const Expected<T> &src) noexcept {
    return src.data_;
  }
  /// Leaves `src` to be assigned to or destroyed once the result was moved from.
  template <typename T> static Any &&GetData(Expected<T> &src) noexcept {
    return std::move(src.data_);
  }
  template <typename T> static Any &&GetData(Expected<T> &&src) noexcept {
    return std::move(src.data_);
  }
  /// The raw value, whose reference is the caller's.
  template <typename T> static TVMFFIAny MoveToTVMFFIAny(Expected<T> &&src) {
    return AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src.data_));
  }
  /// Of a raw value that is known to hold a T or an Error; takes its reference.
  template <typename T> static Expected<T> MoveFromTVMFFIAny(TVMFFIAny raw) {
    return AnyUnsafe::MoveFromAnyAfterCheck<Expected<T>>(AnyUnsafe::MoveTVMFFIAnyRawToAny(raw));
  }
  /// The value, which is known to be a T.
  template <typename T, typename U> static T ValueAs(const Expected<U> &src) {
    return AnyUnsafe::CopyFromAnyViewAfterCheck<T>(src.data_);
  }
};
} // namespace detail

/// T, else an Error.
template <typename T> struct TypeTraits<Expected<T>> : TypeTraitsBase {
  using Value = inner::StoredAs<T>;
  using Self = Expected<T>;
  static void CopyToAnyView(const Self &src, TVMFFIAny *result) {
    *result = AnyView(src.data_).CopyToTVMFFIAny();
  }
  static void MoveToAny(Self src, TVMFFIAny *result) {
    *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src.data_));
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return TypeTraits<Value>::CheckAnyStrict(src) || src->type_index == kTVMFFIError;
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIError)
      return TypeTraits<Error>::CopyFromAnyViewAfterCheck(src);
    return fromValue(TypeTraits<Value>::CopyFromAnyViewAfterCheck(src));
  }
  static Self MoveFromAnyAfterCheck(TVMFFIAny *src) {
    if (src->type_index == kTVMFFIError)
      return TypeTraits<Error>::MoveFromAnyAfterCheck(src);
    return fromValue(TypeTraits<Value>::MoveFromAnyAfterCheck(src));
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFIError)
      return Self(TypeTraits<Error>::CopyFromAnyViewAfterCheck(src));
    if (std::optional<Value> value = TypeTraits<Value>::TryCastFromAnyView(src))
      return fromValue(*std::move(value));
    return std::nullopt;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    return TypeTraits<Value>::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() {
    return inner::concat("Expected<", std::is_void_v<T> ? "void" : TypeTraits<Value>::TypeStr(),
                         ">");
  }
  static std::string TypeSchema() {
    return inner::concat("{\"type\":\"Expected\",\"args\":[", TypeTraits<Value>::TypeSchema(),
                         ",{\"type\":\"ffi.Error\"}]}");
  }

private:
  static Self fromValue([[maybe_unused]] Value value) {
    if constexpr (std::is_void_v<T>)
      return Self();
    else
      return Self(std::move(value));
  }
};

namespace detail {
/// Gathers the message of an error and becomes an Unexpected, or any Expected.
class UnexpectedBuilder {
public:
  UnexpectedBuilder(const char *kind, const char *file, int line, const char *function)
      : kind(kind), file(file), function(function), line(line) {}
  template <typename T> UnexpectedBuilder &&operator<<(T &&part) && {
    message << std::forward<T>(part);
    return std::move(*this);
  }
  /// std::endl and the like.
  UnexpectedBuilder &&operator<<(std::ostream &(*manipulator)(std::ostream &)) && {
    message << manipulator;
    return std::move(*this);
  }
  operator Unexpected<Error>() && { return Unexpected<Error>(error()); }           // NOLINT(*)
  operator Error() && { return error(); }                                          // NOLINT(*)
  template <typename T> operator Expected<T>() && { return Expected<T>(error()); } // NOLINT(*)

private:
  /// The backtrace is this place alone: taking all frames costs more than the error should.
  Error error() const {
    return Error(kind, message.str(),
                 inner::concat("  File \"", file, "\", line ", std::to_string(line), ", in ",
                               function, "\n"));
  }

  const char *kind, *file, *function;
  int line;
  std::ostringstream message;
};
} // namespace detail
} // namespace ffi
} // namespace tvm

/// `return TVM_FFI_UNEXPECTED(ValueError) << "message " << value;` in a function that returns an
/// Expected.
#define TVM_FFI_UNEXPECTED(ErrorKind)                                                              \
  ::tvm::ffi::detail::UnexpectedBuilder(#ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG)

// TVM_FFI_CHECK and its kin for functions that return an Expected: they return the error. The
// loops run once at most; unlike an `if` they cannot catch an `else`.
#define TVM_FFI_RET_CHECK(cond, ErrorKind)                                                         \
  while (TVM_FFI_PREDICT_FALSE(!(cond)))                                                           \
  return TVM_FFI_UNEXPECTED(ErrorKind) << "Check failed: (" #cond ") is false: "

#define TVM_FFI_RET_CHECK_BINARY_OP(name, op, x, y, ErrorKind)                                     \
  while (auto tvmFfiFailure = ::tvm::ffi::inner::check##name((x), (y)))                            \
  return TVM_FFI_UNEXPECTED(ErrorKind)                                                             \
         << "Check failed: " #x " " #op " " #y << *tvmFfiFailure << ": "

#define TVM_FFI_RET_CHECK_EQ(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(EQ, ==, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_NE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(NE, !=, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_LT(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(LT, <, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_LE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(LE, <=, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_GT(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(GT, >, x, y, ErrorKind)
#define TVM_FFI_RET_CHECK_GE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(GE, >=, x, y, ErrorKind)
#define TVM_FFI_RET_ICHECK(x) TVM_FFI_RET_CHECK(x, InternalError)
#define TVM_FFI_RET_ICHECK_EQ(x, y) TVM_FFI_RET_CHECK_EQ(x, y, InternalError)
#define TVM_FFI_RET_ICHECK_NE(x, y) TVM_FFI_RET_CHECK_NE(x, y, InternalError)
#define TVM_FFI_RET_ICHECK_LT(x, y) TVM_FFI_RET_CHECK_LT(x, y, InternalError)
#define TVM_FFI_RET_ICHECK_LE(x, y) TVM_FFI_RET_CHECK_LE(x, y, InternalError)
#define TVM_FFI_RET_ICHECK_GT(x, y) TVM_FFI_RET_CHECK_GT(x, y, InternalError)
#define TVM_FFI_RET_ICHECK_GE(x, y) TVM_FFI_RET_CHECK_GE(x, y, InternalError)

#endif // TVM_FFI_EXPECTED_H_
