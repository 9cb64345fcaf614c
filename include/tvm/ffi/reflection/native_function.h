/// Functions that a type attribute holds as a plain pointer: called without packing arguments.
#ifndef TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_
#define TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/function.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace reflection {

template <typename FType> class NativeFunctionView;
template <typename FType> class NativeFunction;

} // namespace reflection

namespace inner {
/// The pointer that stands for `Fn` in an attribute: never throws, and returns an owned value; one
/// with the tag of an Error is what `Fn` threw, or returned where it returns an Expected.
template <auto Fn, typename FType> struct NativeAdapter;
template <auto Fn, typename R, typename... Args> struct NativeAdapter<Fn, R(Args...)> {
  static TVMFFIAny call(Args... args) noexcept {
    try {
      using Returned = decltype(Fn(std::forward<Args>(args)...));
      if constexpr (isExpected<std::decay_t<Returned>>) {
        return detail::AnyUnsafe::MoveAnyToTVMFFIAny(
            Any(Expected<R>(Fn(std::forward<Args>(args)...))));
      } else if constexpr (std::is_void_v<R>) {
        Fn(std::forward<Args>(args)...);
        return detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any());
      } else {
        return detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(R(Fn(std::forward<Args>(args)...))));
      }
    } catch (const Error &error) {
      return detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(error));
    } catch (const std::exception &error) {
      return detail::AnyUnsafe::MoveAnyToTVMFFIAny(
          Any(Error("InternalError", error.what(), std::string())));
    }
  }
};

/// Calls what a value holds: a native adapter, or a Function.
template <typename R, typename... Args> struct NativeCall {
  using Pointer = TVMFFIAny (*)(Args...) noexcept;

  static Any call(const TVMFFIAny &callee, Args... args) {
    Any result;
    if (TVM_FFI_PREDICT_TRUE(callee.type_index == kTVMFFIOpaquePtr)) {
      result = detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(
          reinterpret_cast<Pointer>(callee.v_ptr)(std::forward<Args>(args)...));
    } else {
      if (callee.type_index != kTVMFFIFunction)
        TVM_FFI_THROW(InternalError) << "Cannot call an undefined native function";
      AnyView packed[sizeof...(Args) + 1];
      PackedArgs::Fill(packed, args...);
      static_cast<const FunctionObj *>(reinterpret_cast<const Object *>(callee.v_obj))
          ->CallPacked(packed, static_cast<int32_t>(sizeof...(Args)), &result);
    }
    if (TVM_FFI_PREDICT_FALSE(result.type_index() == kTVMFFIError))
      throw std::move(result).template as_or_throw<Error>();
    return result;
  }
  static R invoke(const TVMFFIAny &callee, Args... args) {
    if constexpr (std::is_void_v<R>)
      call(callee, std::forward<Args>(args)...);
    else
      return call(callee, std::forward<Args>(args)...).template cast<R>();
  }
  static Expected<R> invokeExpected(const TVMFFIAny &callee, Args... args) noexcept {
    try {
      if (callee.type_index == kTVMFFIFunction)
        return AnyView::CopyFromTVMFFIAny(callee).as_or_throw<Function>().template CallExpected<R>(
            std::forward<Args>(args)...);
      if constexpr (std::is_void_v<R>) {
        call(callee, std::forward<Args>(args)...);
        return Expected<R>();
      } else {
        return Expected<R>(invoke(callee, std::forward<Args>(args)...));
      }
    } catch (const Error &error) {
      return Expected<R>(error);
    } catch (const std::exception &error) {
      return Expected<R>(Error("InternalError", error.what(), std::string()));
    }
  }
};

/// Where a Function's result is an R or an Expected<R>.
template <typename PackedR, typename R>
using IfNativeResult =
    std::enable_if_t<std::is_same_v<PackedR, R> || std::is_same_v<PackedR, Expected<R>>>;
} // namespace inner

namespace reflection {

/// A function in an attribute, lent: 16 bytes, a native pointer or a Function. Valid as long as
/// what it was made of.
template <typename R, typename... Args> class NativeFunctionView<R(Args...)> {
public:
  using FType = R(Args...);
  /// What the pointer points to.
  using FNative = typename inner::NativeCall<R, Args...>::Pointer;
  using ABIType = FNative;

  NativeFunctionView() = delete;
  NativeFunctionView(std::nullptr_t) = delete;
  /// InternalError for a function that is null.
  template <typename PackedR, typename = inner::IfNativeResult<PackedR, R>>
  NativeFunctionView(const TypedFunction<PackedR(Args...)> &function) // NOLINT(*)
      : data_(AnyView(function.packed()).CopyToTVMFFIAny()) {
    TVM_FFI_ICHECK(data_.type_index == kTVMFFIFunction) << "The function is null";
  }
  // The function would be gone before the view.
  template <typename PackedR, typename = inner::IfNativeResult<PackedR, R>>
  NativeFunctionView(TypedFunction<PackedR(Args...)> &&function) = delete;
  NativeFunctionView(const NativeFunction<FType> &function); // NOLINT(*)
  /// `Fn`, which may throw, as a native pointer.
  template <auto Fn> static NativeFunctionView FromNative() {
    TVMFFIAny raw;
    inner::setPointer(
        kTVMFFIOpaquePtr,
        reinterpret_cast<void *>(static_cast<FNative>(&inner::NativeAdapter<Fn, FType>::call)),
        &raw);
    return NativeFunctionView(raw);
  }

  bool defined() const noexcept { return data_.type_index != kTVMFFINone; }
  /// Calls the function; throws what it threw.
  R operator()(Args... args) const {
    return inner::NativeCall<R, Args...>::invoke(data_, std::forward<Args>(args)...);
  }
  /// The same with what it threw as a value.
  Expected<R> CallExpected(Args... args) const noexcept {
    return inner::NativeCall<R, Args...>::invokeExpected(data_, std::forward<Args>(args)...);
  }

private:
  explicit NativeFunctionView(const TVMFFIAny &raw) : data_(raw) {}

  TVMFFIAny data_;

  friend struct TypeTraits<NativeFunctionView<FType>>;
  friend class NativeFunction<FType>;
};

/// The same, owned.
template <typename R, typename... Args> class NativeFunction<R(Args...)> {
public:
  using FType = R(Args...);

  using View = NativeFunctionView<FType>;

  template <typename PackedR, typename = inner::IfNativeResult<PackedR, R>>
  NativeFunction(const TypedFunction<PackedR(Args...)> &function) // NOLINT(*)
      : NativeFunction(View(function)) {}
  explicit NativeFunction(const View &view) : data_(AnyView::CopyFromTVMFFIAny(view.data_)) {}
  static NativeFunction From(View view) { return NativeFunction(view); }
  template <auto Fn> static NativeFunction FromNative() {
    return NativeFunction(NativeFunctionView<FType>::template FromNative<Fn>());
  }

  bool defined() const noexcept { return data_ != nullptr; }
  R operator()(Args... args) const {
    return inner::NativeCall<R, Args...>::invoke(raw(), std::forward<Args>(args)...);
  }
  Expected<R> CallExpected(Args... args) const noexcept {
    return inner::NativeCall<R, Args...>::invokeExpected(raw(), std::forward<Args>(args)...);
  }

private:
  NativeFunction() = default; // for what is to be filled in
  const TVMFFIAny &raw() const { return *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(data_); }

  Any data_;

  friend struct TypeTraits<NativeFunction<FType>>;
  friend class NativeFunctionView<FType>;
};

template <typename R, typename... Args>
inline NativeFunctionView<R(Args...)>::NativeFunctionView(const NativeFunction<FType> &function)
    : data_(function.raw()) {}

} // namespace reflection

namespace inner {
/// What the two forms share.
template <typename FType> struct NativeFunctionTraits : TypeTraitsBase {
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return (src->type_index == kTVMFFIOpaquePtr && src->v_ptr != nullptr) ||
           src->type_index == kTVMFFIFunction;
  }
  static std::string TypeStr() {
    return concat("Variant<", StaticTypeKey::kTVMFFIOpaquePtr, ", ",
                  detail::FunctionInfo<FType>::Sig(), ">");
  }
  static std::string TypeSchema() {
    return concat("{\"type\":\"Variant\",\"args\":[", atomSchema("void*"), ",",
                  detail::FunctionInfo<FType>::TypeSchema(), "]}");
  }
};
} // namespace inner

template <typename FType>
struct TypeTraits<reflection::NativeFunctionView<FType>> : inner::NativeFunctionTraits<FType> {
  using Self = reflection::NativeFunctionView<FType>;
  static constexpr bool storage_enabled = false;
  static void CopyToAnyView(const Self &src, TVMFFIAny *result) { *result = src.data_; }
  static void MoveToAny(Self src, TVMFFIAny *result) {
    *result = src.data_;
    if (inner::isObject(result))
      inner::incRef(result->v_obj);
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return Self(*src); }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    if (inner::NativeFunctionTraits<FType>::CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
};

template <typename FType>
struct TypeTraits<reflection::NativeFunction<FType>> : inner::NativeFunctionTraits<FType> {
  using Self = reflection::NativeFunction<FType>;
  static void CopyToAnyView(const Self &src, TVMFFIAny *result) { *result = src.raw(); }
  static void MoveToAny(Self src, TVMFFIAny *result) {
    *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src.data_));
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    Self result;
    result.data_ = AnyView::CopyFromTVMFFIAny(*src);
    return result;
  }
  static Self MoveFromAnyAfterCheck(TVMFFIAny *src) {
    Self result;
    result.data_ = detail::AnyUnsafe::MoveTVMFFIAnyToAny(src);
    return result;
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    if (inner::NativeFunctionTraits<FType>::CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_
