/// From C++ callables to packed calls: what a callable takes and returns, and how arguments get
/// there.
#ifndef TVM_FFI_FUNCTION_DETAIL_H_
#define TVM_FFI_FUNCTION_DETAIL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace inner {
using TypeText = std::string (*)();

/// A signature in messages, from the names of its result and its parameters.
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline std::string signatureText(const TypeText *types,
                                                                     size_t count) {
  std::string text = "(";
  for (size_t i = 0; i < count; ++i) {
    if (i)
      text += ", ";
    text += std::to_string(i);
    text += ": ";
    text += types[i + 1]();
  }
  text += ") -> ";
  text += types[0]();
  return text;
}

/// A signature as JSON, from the schemas of its result and its parameters.
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline std::string functionSchema(const TypeText *types,
                                                                      size_t count) {
  std::string text = "{\"type\":\"ffi.Function\",\"named_args\":{\"return\":[";
  text += types[0]();
  text += "],\"params\":[";
  for (size_t i = 1; i <= count; ++i) {
    if (i > 1)
      text += ",";
    text += types[i]();
  }
  text += "]}}";
  return text;
}
} // namespace inner

namespace detail {

/// A type's name in messages.
template <typename T> struct Type2Str {
  static std::string v() { return TypeTraitsNoCR<T>::TypeStr(); }
};
template <> struct Type2Str<void> {
  static std::string v() { return "void"; }
};

/// A type as JSON.
template <typename T> struct TypeSchemaImpl {
  static std::string v() { return TypeTraitsNoCR<T>::TypeSchema(); }
};
template <> struct TypeSchemaImpl<void> {
  static std::string v() { return TypeTraits<std::nullptr_t>::TypeSchema(); }
};
template <typename T>
using TypeSchema = TypeSchemaImpl<std::remove_const_t<std::remove_reference_t<T>>>;

/// What a signature is made of.
template <typename R, typename... Args> struct FuncFunctorImpl {
  using FType = R(Args...);
  using ArgType = std::tuple<Args...>;
  using RetType = R;
  static constexpr size_t num_args = sizeof...(Args);

  static_assert((!(std::is_lvalue_reference_v<Args> &&
                   !std::is_const_v<std::remove_reference_t<Args>>) &&
                 ...),
                "a parameter is a value, a const reference or an rvalue reference");

  /// `(0: int, 1: str) -> void`
  static std::string Sig() {
    static constexpr inner::TypeText kTypes[] = {&Type2Str<R>::v, &Type2Str<Args>::v...};
    return inner::signatureText(kTypes, sizeof...(Args));
  }
  static std::string TypeSchema() {
    static constexpr inner::TypeText kTypes[] = {&detail::TypeSchema<R>::v,
                                                 &detail::TypeSchema<Args>::v...};
    return inner::functionSchema(kTypes, sizeof...(Args));
  }
};

/// The signature of a callable: a function, a pointer to one or to a member, or a type with one
/// operator().
template <typename T> struct FunctionInfo : FunctionInfo<decltype(&T::operator())> {
  // A functor's operator() has no `self` parameter.
};

template <typename R, typename... Args>
struct FunctionInfo<R(Args...)> : FuncFunctorImpl<R, Args...> {};
template <typename R, typename... Args>
struct FunctionInfo<R(Args...) noexcept> : FuncFunctorImpl<R, Args...> {};
template <typename R, typename... Args>
struct FunctionInfo<R (*)(Args...)> : FuncFunctorImpl<R, Args...> {};
template <typename R, typename... Args>
struct FunctionInfo<R (*)(Args...) noexcept> : FuncFunctorImpl<R, Args...> {};

} // namespace detail

namespace inner {
/// The `self` parameter of a method: a pointer for objects, the value for references.
template <typename Class, bool IsConst>
using SelfParameter = std::conditional_t<std::is_base_of_v<ObjectRef, Class>, Class,
                                         std::conditional_t<IsConst, const Class *, Class *>>;

/// Whether Class is passed as `self`: else it is a functor, whose operator() has none.
template <typename Class>
inline constexpr bool hasSelf =
    std::is_base_of_v<Object, Class> || std::is_base_of_v<ObjectRef, Class>;

template <typename Class, bool IsConst, typename R, typename... Args>
using MethodImpl =
    std::conditional_t<hasSelf<Class>,
                       detail::FuncFunctorImpl<R, SelfParameter<Class, IsConst>, Args...>,
                       detail::FuncFunctorImpl<R, Args...>>;
} // namespace inner

namespace detail {
template <typename Class, typename R, typename... Args>
struct FunctionInfo<R (Class::*)(Args...)> : inner::MethodImpl<Class, false, R, Args...> {};
template <typename Class, typename R, typename... Args>
struct FunctionInfo<R (Class::*)(Args...) const> : inner::MethodImpl<Class, true, R, Args...> {};
template <typename Class, typename R, typename... Args>
struct FunctionInfo<R (Class::*)(Args...) noexcept> : inner::MethodImpl<Class, false, R, Args...> {
};
template <typename Class, typename R, typename... Args>
struct FunctionInfo<R (Class::*)(Args...) const noexcept>
    : inner::MethodImpl<Class, true, R, Args...> {};
} // namespace detail

namespace inner {

/// Who is called, for messages.
struct CalleeText {
  const char *name; ///< "" where it has none
  std::string (*signature)();
};

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void
throwBadCount(const CalleeText &callee, size_t expected, int32_t got) {
  throwAt("TypeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
          concat("Mismatched number of arguments when calling: `", callee.name, callee.signature(),
                 "`. Expected ", std::to_string(expected), " but got ", std::to_string(got),
                 " arguments"));
}

/// What a value is, as T's traits tell it in messages.
template <typename T> std::string mismatchText(const TVMFFIAny *value) {
  return TypeTraits<T>::GetMismatchTypeInfo(value);
}

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void
throwBadArgument(const CalleeText &callee, size_t index, const TVMFFIAny *value, TypeText expected,
                 std::string (*got)(const TVMFFIAny *)) {
  throwAt("TypeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
          concat("Mismatched type on argument #", std::to_string(index), " when calling: `",
                 callee.name, callee.signature(), "`. Expected `", expected(), "` but got `",
                 got(value), "`"));
}

/// Argument number `index` as a Parameter without reference; it lives as long as the call's
/// expression.
template <typename Parameter>
TVM_FFI_INLINE auto convertArgument(const AnyView *args, size_t index, const CalleeText &callee) {
  using T = std::remove_cv_t<std::remove_reference_t<Parameter>>;
  if constexpr (isAny<T>) {
    return T(args[index]);
  } else {
    const TVMFFIAny *value = reinterpret_cast<const TVMFFIAny *>(&args[index]);
    std::optional<T> result = TypeTraits<T>::TryCastFromAnyView(value);
    if (TVM_FFI_PREDICT_FALSE(!result.has_value()))
      throwBadArgument(callee, index, value, &detail::Type2Str<T>::v, &mismatchText<T>);
    return T(*std::move(result));
  }
}

/// Calls a callable; a member function of its first argument, an object's address or a reference.
template <typename F, typename... Args>
TVM_FFI_INLINE decltype(auto) invoke(F &func, Args &&...args) {
  return func(std::forward<Args>(args)...);
}
template <typename Class, typename Member, typename Self, typename... Args>
TVM_FFI_INLINE decltype(auto) invoke(Member Class::*func, Self &&self, Args &&...args) {
  if constexpr (std::is_pointer_v<std::remove_reference_t<Self>>)
    return (self->*func)(std::forward<Args>(args)...);
  else
    return (std::forward<Self>(self).*func)(std::forward<Args>(args)...);
}

template <typename Info, typename F, size_t... I>
TVM_FFI_INLINE void callUnpacked(std::index_sequence<I...>, const CalleeText &callee, F &&f,
                                 const AnyView *args, int32_t numArgs, Any *result) {
  using R = typename Info::RetType;
  if (TVM_FFI_PREDICT_FALSE(numArgs != static_cast<int32_t>(sizeof...(I))))
    throwBadCount(callee, sizeof...(I), numArgs);
  (void)args;
  if constexpr (std::is_void_v<R>)
    inner::invoke(
        f, convertArgument<std::tuple_element_t<I, typename Info::ArgType>>(args, I, callee)...);
  else
    *result = Any(std::remove_cv_t<std::remove_reference_t<R>>(inner::invoke(
        f, convertArgument<std::tuple_element_t<I, typename Info::ArgType>>(args, I, callee)...)));
}

/// Calls `f` with packed arguments. `name` is not null.
template <typename F>
TVM_FFI_INLINE void callTyped(const char *name, F &&f, const AnyView *args, int32_t numArgs,
                              Any *result) {
  using Info = detail::FunctionInfo<std::decay_t<F>>;
  callUnpacked<Info>(std::make_index_sequence<Info::num_args>{}, CalleeText{name, &Info::Sig}, f,
                     args, numArgs, result);
}
} // namespace inner

namespace detail {
/// callTyped under the name that kernels' own wrappers use.
template <typename R, size_t... I, typename F>
TVM_FFI_INLINE void unpack_call(std::index_sequence<I...> indices, const std::string *optional_name,
                                F &&f, const AnyView *args, int32_t num_args, Any *result) {
  using Info = FunctionInfo<std::decay_t<F>>;
  inner::callUnpacked<Info>(
      indices, inner::CalleeText{optional_name ? optional_name->c_str() : "", &Info::Sig}, f, args,
      num_args, result);
}
} // namespace detail

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_FUNCTION_DETAIL_H_
