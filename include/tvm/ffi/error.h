/// Errors: the object, the C++ exception, and the macros that throw.
#ifndef TVM_FFI_ERROR_H_
#define TVM_FFI_ERROR_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/inner/check.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

/// 1: every error that is thrown is also printed to stderr.
#ifndef TVM_FFI_ALWAYS_LOG_BEFORE_THROW
#define TVM_FFI_ALWAYS_LOG_BEFORE_THROW 0
#endif

namespace tvm {
namespace ffi {

/// The payload of an Error, filled in by whoever made it.
class ErrorObj : public Object, public TVMFFIErrorCell {
public:
  static constexpr int32_t _type_index = kTVMFFIError;
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIError, ErrorObj, Object)

  ErrorObj() : TVMFFIErrorCell{} {}
  ~ErrorObj() {
    detail::ObjectUnsafe::DecRefObjectHandle(cause_chain);
    detail::ObjectUnsafe::DecRefObjectHandle(extra_context);
  }
};
static_assert(sizeof(ErrorObj) == 96, "layout of Error");

namespace inner {
inline std::string toText(const TVMFFIByteArray &bytes) {
  return bytes.size ? std::string(bytes.data, bytes.size) : std::string();
}
} // namespace inner

/// An error: a reference to an ErrorObj that can be thrown. Never null (but after it was moved
/// from).
class TVM_FFI_DLL Error : public ObjectRef, public std::exception {
public:
  using ContainerType = ErrorObj;
  static constexpr bool _type_is_nullable = false;

  /// `kind` names the class of the error ("TypeError"); the backtrace has its most recent call
  /// first.
  /// std::bad_alloc where there is no memory for it.
  Error(const std::string &kind, const std::string &message, const std::string &backtrace)
      : Error(kind, message, bytesOf(backtrace), nullptr, nullptr) {}
  template <typename Cause = Error, typename Extra = ObjectRef>
  Error(const std::string &kind, const std::string &message, const std::string &backtrace,
        const std::enable_if_t<true, std::optional<Cause>> &cause_chain,
        const std::enable_if_t<true, std::optional<Extra>> &extra_context = std::nullopt)
      : Error(kind, message, bytesOf(backtrace), headerOf(cause_chain), headerOf(extra_context)) {}
  Error(const std::string &kind, const std::string &message, const TVMFFIByteArray *backtrace)
      : Error(kind, message, *backtrace, nullptr, nullptr) {}
  explicit Error(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Error);

  std::string kind() const { return inner::toText(obj()->kind); }
  std::string message() const { return inner::toText(obj()->message); }
  std::string backtrace() const { return inner::toText(obj()->backtrace); }
  /// The error behind this one.
  template <typename T = Error> std::optional<T> cause_chain() const {
    return partOf<T>(obj()->cause_chain);
  }
  /// What a language attached.
  template <typename T = ObjectRef> std::optional<T> extra_context() const {
    return partOf<T>(obj()->extra_context);
  }

  /// The backtrace turned round: the most recent call last.
  std::string TracebackMostRecentCallLast() const;
  /// Replaces or extends the backtrace; `update_mode` is a TVMFFIBacktraceUpdateMode.
  void UpdateBacktrace(const TVMFFIByteArray *text, int32_t update_mode) {
    ErrorObj *error = static_cast<ErrorObj *>(data_.get());
    error->update_backtrace(detail::ObjectUnsafe::GetHeader(error), text, update_mode);
  }
  /// The message, NUL-terminated.
  const char *what() const noexcept override { return obj()->message.data; }
  /// Traceback, kind and message as Python prints them.
  std::string FullMessage() const {
    return inner::concat("Traceback (most recent call last):\n", TracebackMostRecentCallLast(),
                         kind(), ": ", message(), "\n");
  }
  const ErrorObj *operator->() const noexcept { return obj(); }
  const ErrorObj *get() const noexcept { return obj(); }

private:
  /// The library makes the object: it outlives the kernel library that raised it.
  Error(const std::string &kind, const std::string &message, TVMFFIByteArray backtrace,
        TVMFFIObjectHandle cause, TVMFFIObjectHandle extra)
      : ObjectRef(UnsafeInit{}) {
    TVMFFIByteArray kindBytes = bytesOf(kind), messageBytes = bytesOf(message);
    TVMFFIObjectHandle handle = nullptr;
    if (TVM_FFI_PREDICT_FALSE(TVMFFIErrorCreateWithCauseAndExtraContext(&kindBytes, &messageBytes,
                                                                        &backtrace, cause, extra,
                                                                        &handle) != 0))
      throw std::bad_alloc();
    data_ = detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(handle));
  }
  static TVMFFIByteArray bytesOf(const std::string &text) {
    return TVMFFIByteArray{text.data(), text.size()};
  }
  template <typename T> static TVMFFIObjectHandle headerOf(const std::optional<T> &part) {
    return part ? detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*part) : nullptr;
  }
  template <typename T> static std::optional<T> partOf(TVMFFIObjectHandle part) {
    if (!part)
      return std::nullopt;
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<T>(
        detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(static_cast<TVMFFIObject *>(part)));
  }
  const ErrorObj *obj() const noexcept { return static_cast<const ErrorObj *>(data_.get()); }
};
static_assert(sizeof(Error) == 16, "layout of the exception");

inline std::string Error::TracebackMostRecentCallLast() const {
  std::string text = backtrace(), result;
  // What follows the last newline is no line.
  for (size_t end = text.rfind('\n'); end != std::string::npos && end > 0;) {
    size_t before = text.rfind('\n', end - 1);
    size_t begin = before == std::string::npos ? 0 : before + 1;
    if (begin < end)
      result.append(text, begin, end - begin + 1);
    end = before;
  }
  return result;
}

/// What to throw when the host language has an error of its own pending, such as Python's.
inline Error EnvErrorAlreadySet() { return Error("EnvErrorAlreadySet", "", std::string()); }

namespace detail {
/// The thread's error, moved out of its slot.
inline Error MoveFromSafeCallRaised() {
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  // A callee that failed without an error broke the protocol; say so rather than crash.
  if (!handle)
    return Error("InternalError", "A function failed without setting an error", std::string());
  return ObjectUnsafe::ObjectRefFromObjectPtr<Error>(
      ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(handle)));
}

inline void SetSafeCallRaised(const Error &error) {
  TVMFFIErrorSetRaised(ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(error));
}
} // namespace detail

namespace inner {
/// Raises an error without a backtrace. Throws nothing, also if memory is short: callers are C
/// functions.
inline void raiseWithoutMemory(const char *kind, const char *message) noexcept {
  TVMFFIByteArray kindBytes{kind, std::strlen(kind)}, messageBytes{message, std::strlen(message)};
  TVMFFIByteArray none{"", 0};
  TVMFFIObjectHandle handle = nullptr;
  if (TVMFFIErrorCreate(&kindBytes, &messageBytes, &none, &handle) == 0) {
    TVMFFIErrorSetRaised(handle);
    TVMFFIObjectDecRef(handle);
  } else {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", message);
  }
}

/// Makes the exception that is being handled, and is no Error, the thread's error.
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void setForeignRaised() {
  try {
    throw;
  } catch (const std::bad_alloc &error) {
    raiseWithoutMemory("MemoryError", error.what());
  } catch (const std::exception &error) {
    raiseWithoutMemory("InternalError", error.what());
#if defined(__GLIBCXX__)
  } catch (const __cxxabiv1::__forced_unwind &) { // the thread is being cancelled
    throw;
#endif
  } catch (...) {
    raiseWithoutMemory("InternalError", "An exception that is no std::exception");
  }
}

/// Throws, with a backtrace of the calls up to here.
[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void throwAt(const char *kind,
                                                                     const char *file, int line,
                                                                     const char *function,
                                                                     const std::string &message) {
  Error error(kind, message, TVMFFIBacktrace(file, line, function, 0));
#if TVM_FFI_ALWAYS_LOG_BEFORE_THROW
  std::cerr << error.FullMessage();
#endif
  throw error;
}

/// Gathers the message of an error and throws it at the end of the full expression.
template <bool Log> class ErrorThrower {
public:
  ErrorThrower(const char *kind, const TVMFFIByteArray *backtrace)
      : kind(kind), backtrace(toText(*backtrace)) {}
  [[noreturn]] TVM_FFI_COLD_CODE ~ErrorThrower() noexcept(false) {
    Error error(kind, message.str(), backtrace);
    if constexpr (Log)
      std::cerr << error.FullMessage();
    throw error;
  }
  std::ostream &stream() { return message; }

private:
  const char *kind;
  std::string backtrace;
  std::ostringstream message;
};

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void
throwNull(const char *kind, const char *text, const char *file, int line, const char *function) {
  throwAt(kind, file, line, function, concat("Check not null: ", text, " "));
}

/// Returns `value` unless it is null.
template <typename T>
inline T &&checkNotNull(T &&value, const char *kind, const char *text, const char *file, int line,
                        const char *function) {
  if (TVM_FFI_PREDICT_FALSE(value == nullptr))
    throwNull(kind, text, file, line, function);
  return std::forward<T>(value);
}
} // namespace inner
} // namespace ffi
} // namespace tvm

#define TVM_FFI_INNER_THROW_(ErrorKind, log)                                                       \
  ::tvm::ffi::inner::ErrorThrower<(log) != 0>(                                                     \
      #ErrorKind, TVMFFIBacktrace(__FILE__, __LINE__, TVM_FFI_FUNC_SIG, 0))                        \
      .stream()

/// `TVM_FFI_THROW(TypeError) << "message " << value;`
#define TVM_FFI_THROW(ErrorKind) TVM_FFI_INNER_THROW_(ErrorKind, TVM_FFI_ALWAYS_LOG_BEFORE_THROW)
/// The same, printed to stderr too: for errors that may go unseen, as at load time.
#define TVM_FFI_LOG_AND_THROW(ErrorKind) TVM_FFI_INNER_THROW_(ErrorKind, true)

// The loops run once at most, for the throw leaves them; unlike an `if` they cannot catch an
// `else`.
#define TVM_FFI_CHECK(cond, ErrorKind)                                                             \
  while (TVM_FFI_PREDICT_FALSE(!(cond)))                                                           \
  TVM_FFI_THROW(ErrorKind) << "Check failed: (" #cond ") is false: "

#define TVM_FFI_CHECK_BINARY_OP(name, op, x, y, ErrorKind)                                         \
  while (auto tvmFfiFailure = ::tvm::ffi::inner::check##name((x), (y)))                            \
  TVM_FFI_THROW(ErrorKind) << "Check failed: " #x " " #op " " #y << *tvmFfiFailure << ": "

#define TVM_FFI_CHECK_EQ(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(EQ, ==, x, y, ErrorKind)
#define TVM_FFI_CHECK_NE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(NE, !=, x, y, ErrorKind)
#define TVM_FFI_CHECK_LT(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(LT, <, x, y, ErrorKind)
#define TVM_FFI_CHECK_LE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(LE, <=, x, y, ErrorKind)
#define TVM_FFI_CHECK_GT(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(GT, >, x, y, ErrorKind)
#define TVM_FFI_CHECK_GE(x, y, ErrorKind) TVM_FFI_CHECK_BINARY_OP(GE, >=, x, y, ErrorKind)
/// An expression with the value of `x`, which is not null.
#define TVM_FFI_CHECK_NOTNULL(x, ErrorKind)                                                        \
  ::tvm::ffi::inner::checkNotNull((x), #ErrorKind, #x, __FILE__, __LINE__, TVM_FFI_FUNC_SIG)

#define TVM_FFI_ICHECK(x) TVM_FFI_CHECK(x, InternalError)
#define TVM_FFI_ICHECK_EQ(x, y) TVM_FFI_CHECK_EQ(x, y, InternalError)
#define TVM_FFI_ICHECK_NE(x, y) TVM_FFI_CHECK_NE(x, y, InternalError)
#define TVM_FFI_ICHECK_LT(x, y) TVM_FFI_CHECK_LT(x, y, InternalError)
#define TVM_FFI_ICHECK_LE(x, y) TVM_FFI_CHECK_LE(x, y, InternalError)
#define TVM_FFI_ICHECK_GT(x, y) TVM_FFI_CHECK_GT(x, y, InternalError)
#define TVM_FFI_ICHECK_GE(x, y) TVM_FFI_CHECK_GE(x, y, InternalError)
#define TVM_FFI_ICHECK_NOTNULL(x) TVM_FFI_CHECK_NOTNULL(x, InternalError)

#ifdef NDEBUG
// Compiled, so that it keeps compiling, and never run.
#define TVM_FFI_DCHECK(x)                                                                          \
  while (false)                                                                                    \
  TVM_FFI_ICHECK(x)
#define TVM_FFI_DCHECK_EQ(x, y)                                                                    \
  while (false)                                                                                    \
  TVM_FFI_ICHECK_EQ(x, y)
#define TVM_FFI_DCHECK_NE(x, y)                                                                    \
  while (false)                                                                                    \
  TVM_FFI_ICHECK_NE(x, y)
#define TVM_FFI_DCHECK_LT(x, y)                                                                    \
  while (false)                                                                                    \
  TVM_FFI_ICHECK_LT(x, y)
#define TVM_FFI_DCHECK_LE(x, y)                                                                    \
  while (false)                                                                                    \
  TVM_FFI_ICHECK_LE(x, y)
#define TVM_FFI_DCHECK_GT(x, y)                                                                    \
  while (false)                                                                                    \
  TVM_FFI_ICHECK_GT(x, y)
#define TVM_FFI_DCHECK_GE(x, y)                                                                    \
  while (false)                                                                                    \
  TVM_FFI_ICHECK_GE(x, y)
#define TVM_FFI_DCHECK_NOTNULL(x) (x)
#else
#define TVM_FFI_DCHECK(x) TVM_FFI_ICHECK(x)
#define TVM_FFI_DCHECK_EQ(x, y) TVM_FFI_ICHECK_EQ(x, y)
#define TVM_FFI_DCHECK_NE(x, y) TVM_FFI_ICHECK_NE(x, y)
#define TVM_FFI_DCHECK_LT(x, y) TVM_FFI_ICHECK_LT(x, y)
#define TVM_FFI_DCHECK_LE(x, y) TVM_FFI_ICHECK_LE(x, y)
#define TVM_FFI_DCHECK_GT(x, y) TVM_FFI_ICHECK_GT(x, y)
#define TVM_FFI_DCHECK_GE(x, y) TVM_FFI_ICHECK_GE(x, y)
#define TVM_FFI_DCHECK_NOTNULL(x) TVM_FFI_ICHECK_NOTNULL(x)
#endif

#endif // TVM_FFI_ERROR_H_
