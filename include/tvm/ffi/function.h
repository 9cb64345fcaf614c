/// Function: a callable object that crosses languages and libraries, and the macros that export
/// one.
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/function_detail.h>
#include <tvm/ffi/optional.h>

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Enclose the body of a safe-call function: exceptions become the thread's error and -1.
#define TVM_FFI_SAFE_CALL_BEGIN()                                                                  \
  try {                                                                                            \
  (void)0

#define TVM_FFI_SAFE_CALL_END()                                                                    \
  return 0;                                                                                        \
  }                                                                                                \
  catch (const ::tvm::ffi::Error &tvmFfiError) {                                                   \
    ::tvm::ffi::detail::SetSafeCallRaised(tvmFfiError);                                            \
    return -1;                                                                                     \
  }                                                                                                \
  catch (...) {                                                                                    \
    ::tvm::ffi::inner::setForeignRaised();                                                         \
    return -1;                                                                                     \
  }                                                                                                \
  TVM_FFI_UNREACHABLE()

/// Throws the thread's error unless the ABI call `expr` returned 0.
#define TVM_FFI_CHECK_SAFE_CALL(expr)                                                              \
  do {                                                                                             \
    if (TVM_FFI_PREDICT_FALSE((expr) != 0))                                                        \
      throw ::tvm::ffi::detail::MoveFromSafeCallRaised();                                          \
  } while (0)

namespace tvm {
namespace ffi {

/// The object behind a Function.
class FunctionObj : public Object, public TVMFFIFunctionCell {
public:
  using FCall = void (*)(const FunctionObj *, const AnyView *, int32_t, Any *);
  using TVMFFIFunctionCell::cpp_call;
  using TVMFFIFunctionCell::safe_call;

  static constexpr int32_t _type_index = kTVMFFIFunction;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIFunction, FunctionObj, Object)

  /// Calls with `num_args` views; throws what the callee threw.
  TVM_FFI_INLINE void CallPacked(const AnyView *args, int32_t num_args, Any *result) const {
    if (cpp_call)
      reinterpret_cast<FCall>(cpp_call)(this, args, num_args, result);
    else
      TVM_FFI_CHECK_SAFE_CALL(safe_call(const_cast<FunctionObj *>(this),
                                        reinterpret_cast<const TVMFFIAny *>(args), num_args,
                                        reinterpret_cast<TVMFFIAny *>(result)));
  }

protected:
  FunctionObj() : TVMFFIFunctionCell{} {}
};
static_assert(sizeof(FunctionObj) == 40, "layout of Function");

/// The arguments of a packed call: a view of views.
class PackedArgs {
public:
  PackedArgs(const AnyView *data, int32_t size) : data_(data), size_(size) {}

  int32_t size() const { return size_; }
  const AnyView *data() const { return data_; }
  AnyView operator[](int i) const { return data_[i]; }
  PackedArgs Slice(int begin, int end = -1) const {
    return PackedArgs(data_ + begin, (end == -1 ? size_ : end) - begin);
  }
  /// Makes views of `args` in `data`, which has room for them.
  template <typename... Args> TVM_FFI_INLINE static void Fill(AnyView *data, Args &&...args) {
    (void)data;
    [[maybe_unused]] size_t i = 0;
    ((data[i++] = args), ...);
  }

private:
  const AnyView *data_;
  int32_t size_;
};

namespace inner {
template <typename F>
inline constexpr bool isPackedCallable = std::is_invocable_v<F, const AnyView *, int32_t, Any *> ||
                                         std::is_invocable_v<F, PackedArgs, Any *>;

/// A callable that takes packed arguments, as an object.
template <typename F> class CallableObj : public FunctionObj {
public:
  template <typename... Args>
  explicit CallableObj(Args &&...args) : callable(std::forward<Args>(args)...) {
    safe_call = safeCall;
    cpp_call = reinterpret_cast<void *>(static_cast<FCall>(call));
  }

  mutable F callable;

private:
  static void call(const FunctionObj *self, const AnyView *args, int32_t numArgs, Any *result) {
    F &callable = static_cast<const CallableObj *>(self)->callable;
    if constexpr (std::is_invocable_v<F &, const AnyView *, int32_t, Any *>)
      callable(args, numArgs, result);
    else
      callable(PackedArgs(args, numArgs), result);
  }
  static int safeCall(void *handle, const TVMFFIAny *args, int32_t numArgs, TVMFFIAny *result) {
    TVM_FFI_SAFE_CALL_BEGIN();
    // Overwriting an object would leak it.
    TVM_FFI_ICHECK_LT(result->type_index, static_cast<int32_t>(kTVMFFIStaticObjectBegin));
    call(static_cast<const FunctionObj *>(reinterpret_cast<Object *>(handle)),
         reinterpret_cast<const AnyView *>(args), numArgs, reinterpret_cast<Any *>(result));
    TVM_FFI_SAFE_CALL_END();
  }
};

/// A typed callable as a packed one.
template <typename F> struct TypedCallable {
  F callable;
  std::string name;
  void operator()(const AnyView *args, int32_t numArgs, Any *result) {
    callTyped(name.c_str(), callable, args, numArgs, result);
  }
};

[[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline void throwNullFunction() {
  throwAt("InternalError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG, "Cannot call a null Function");
}

/// Whether there is nothing in a T that a view could lend: its traits make an object, which has to
/// be held for the call.
template <typename T, typename = void> inline constexpr bool viewNeedsOwner = false;
template <typename T>
inline constexpr bool viewNeedsOwner<T, std::enable_if_t<TypeTraits<T>::view_needs_owner>> = true;

/// What an argument is for the length of a call: a view, or what holds it.
template <typename Arg>
using Lent = std::conditional_t<viewNeedsOwner<std::remove_cv_t<std::remove_reference_t<Arg>>>, Any,
                                AnyView>;
} // namespace inner

/// A reference to a callable object, or null.
class Function : public ObjectRef {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Function, ObjectRef, FunctionObj);
  Function(std::nullptr_t) {} // NOLINT(*)
  /// A function of packed arguments: `(const AnyView *, int32_t, Any *)` or `(PackedArgs, Any *)`.
  template <typename F, typename = std::enable_if_t<inner::isPackedCallable<F> &&
                                                    !std::is_base_of_v<ObjectRef, F>>>
  explicit Function(F packed) {
    *this = FromPacked(std::move(packed));
  }

  template <typename F> static Function FromPacked(F packed) {
    static_assert(
        inner::isPackedCallable<F>,
        "a packed callable takes (const AnyView *, int32_t, Any *) or (PackedArgs, Any *)");
    return Function(ObjectPtr<FunctionObj>(make_object<inner::CallableObj<F>>(std::move(packed))));
  }
  /// A packed callable constructed in place, and where it is.
  template <typename F, typename... Args>
  static std::tuple<Function, F *> FromPackedInplace(Args &&...args) {
    auto object = make_object<inner::CallableObj<F>>(std::forward<Args>(args)...);
    F *callable = &object->callable;
    return {Function(ObjectPtr<FunctionObj>(std::move(object))), callable};
  }
  /// A function with C++ parameters: they are checked and converted; `name` goes into messages.
  template <typename F> static Function FromTyped(F callable, std::string name = std::string()) {
    return FromPacked(inner::TypedCallable<F>{std::move(callable), std::move(name)});
  }
  /// A function with the C calling convention; `deleter(self)` runs when it goes.
  static Function FromExternC(void *self, TVMFFISafeCallType safe_call, void (*deleter)(void *)) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(self, safe_call, deleter, &handle));
    return fromOwned(handle);
  }
  /// Calls a function with the C calling convention.
  template <typename... Args>
  static Any InvokeExternC(void *handle, TVMFFISafeCallType safe_call, Args &&...args) {
    Any result;
    TVM_FFI_CHECK_SAFE_CALL(invokeLent(handle, safe_call, &result, inner::Lent<Args>(args)...));
    return result;
  }

  /// The global function of that name, empty where there is none.
  template <typename T = Function> static std::optional<T> GetGlobal(std::string_view name) {
    T function = findGlobal(name);
    if (!function.defined())
      return std::nullopt;
    return function;
  }
  template <typename T = Function> static std::optional<T> GetGlobal(const std::string &name) {
    return GetGlobal<T>(std::string_view(name));
  }
  template <typename T = Function> static std::optional<T> GetGlobal(const String &name) {
    return GetGlobal<T>(std::string_view(name.data(), name.size()));
  }
  template <typename T = Function> static std::optional<T> GetGlobal(const char *name) {
    return GetGlobal<T>(std::string_view(name));
  }
  /// GetGlobal; ValueError where there is none.
  static Function GetGlobalRequired(std::string_view name) {
    Function function = findGlobal(name);
    if (!function.defined())
      inner::throwAt("ValueError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                     inner::concat("Function ", name, " not found"));
    return function;
  }
  static void SetGlobal(std::string_view name, Function func, bool override = false) {
    TVMFFIByteArray bytes{name.data(), name.size()};
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobal(
        &bytes, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(func), override));
  }
  template <typename Name = String> static std::vector<Name> ListGlobalNames() {
    auto names =
        GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor")().template cast<Function>();
    auto count = names(-1).template cast<int64_t>();
    std::vector<Name> result;
    for (int64_t i = 0; i < count; ++i)
      result.push_back(names(i).template cast<Name>());
    return result;
  }
  template <typename Name = String>
  static void RemoveGlobal(const std::enable_if_t<true, Name> &name) {
    GetGlobalRequired("ffi.FunctionRemoveGlobal")(name);
  }

  /// Calls the function; throws what it threw.
  template <typename... Args> TVM_FFI_INLINE Any operator()(Args &&...args) const {
    return callLent(inner::Lent<Args>(args)...);
  }
  /// Calls the function; an error, also one that is the result, comes back as such. TypeError
  /// where the result is no T.
  template <typename T = Any, typename... Args> Expected<T> CallExpected(Args &&...args) const {
    if (TVM_FFI_PREDICT_FALSE(!data_))
      return Error("InternalError", "Cannot call a null Function", std::string());
    Any result;
    FunctionObj *function = static_cast<FunctionObj *>(data_.get());
    if (invokeLent(function, function->safe_call, &result, inner::Lent<Args>(args)...) != 0)
      return detail::MoveFromSafeCallRaised();
    if (result.type_index() == kTVMFFIError)
      return *std::move(result).template as<Error>();
    if constexpr (std::is_same_v<T, Any>) {
      return Expected<T>(std::move(result));
    } else {
      if constexpr (std::is_void_v<T>) {
        if (result == nullptr)
          return Expected<T>();
      } else {
        if (std::optional<T> value = result.template try_cast<T>())
          return Expected<T>(*std::move(value));
      }
      return Error("TypeError",
                   inner::concat("CallExpected: result type mismatch, expected ",
                                 detail::Type2Str<T>::v(), ", but got ", result.GetTypeKey()),
                   std::string());
    }
  }
  TVM_FFI_INLINE void CallPacked(const AnyView *args, int32_t num_args, Any *result) const {
    if (TVM_FFI_PREDICT_FALSE(!data_))
      inner::throwNullFunction();
    static_cast<FunctionObj *>(data_.get())->CallPacked(args, num_args, result);
  }
  TVM_FFI_INLINE void CallPacked(PackedArgs args, Any *result) const {
    CallPacked(args.data(), args.size(), result);
  }

  bool operator==(std::nullptr_t) const { return data_ == nullptr; }
  bool operator!=(std::nullptr_t) const { return data_ != nullptr; }

private:
  static Function findGlobal(std::string_view name) {
    TVMFFIByteArray bytes{name.data(), name.size()};
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionGetGlobal(&bytes, &handle));
    return fromOwned(handle);
  }
  template <typename... Views> TVM_FFI_INLINE Any callLent(const Views &...views) const {
    AnyView packed[] = {AnyView(views)..., AnyView()};
    Any result;
    CallPacked(packed, static_cast<int32_t>(sizeof...(Views)), &result);
    return result;
  }
  template <typename... Views>
  static int invokeLent(void *handle, TVMFFISafeCallType safe_call, Any *result,
                        const Views &...views) {
    AnyView packed[] = {AnyView(views)..., AnyView()};
    return safe_call(handle, reinterpret_cast<const TVMFFIAny *>(packed),
                     static_cast<int32_t>(sizeof...(Views)), reinterpret_cast<TVMFFIAny *>(result));
  }
  static Function fromOwned(TVMFFIObjectHandle handle) {
    return Function(
        detail::ObjectUnsafe::ObjectPtrFromOwned<FunctionObj>(static_cast<TVMFFIObject *>(handle)));
  }
};

template <> inline constexpr bool use_default_type_traits_v<Function> = false;

template <> struct TypeTraits<Function> : ObjectRefTypeTraitsBase<Function> {
  static constexpr int32_t field_static_type_index = kTVMFFIFunction;
};

template <typename FType> class TypedFunction;

/// A Function with a C++ signature.
template <typename R, typename... Args> class TypedFunction<R(Args...)> {
public:
  using TSelf = TypedFunction<R(Args...)>;

  TypedFunction() = default;
  TypedFunction(std::nullptr_t) {}                               // NOLINT(*)
  TypedFunction(Function packed) : packed_(std::move(packed)) {} // NOLINT(*)
  template <typename F,
            typename = std::enable_if_t<std::is_invocable_r_v<R, F, Args...> &&
                                        !std::is_base_of_v<ObjectRef, std::decay_t<F>> &&
                                        !std::is_same_v<std::decay_t<F>, TSelf>>>
  TypedFunction(F callable, std::string name = std::string()) // NOLINT(*)
      : packed_(Function::FromTyped(
            // The signature is this class's, whatever the callable's is.
            [callable = std::move(callable)](Args... args) mutable -> R {
              if constexpr (!std::is_void_v<R>)
                return callable(std::forward<Args>(args)...);
              else if constexpr (inner::isExpected<std::invoke_result_t<F &, Args...>>)
                callable(std::forward<Args>(args)...).value();
              else
                callable(std::forward<Args>(args)...);
            },
            std::move(name))) {}

  TVM_FFI_INLINE R operator()(Args... args) const {
    if constexpr (std::is_void_v<R>)
      packed_(args...);
    else
      return packed_(args...).template cast<R>();
  }
  /// The signature as JSON.
  static std::string TypeSchema() { return detail::FunctionInfo<R(Args...)>::TypeSchema(); }
  operator Function() const { return packed_; } // NOLINT(*)
  const Function &packed() const & { return packed_; }
  Function &&packed() && { return std::move(packed_); }
  bool operator==(std::nullptr_t) const { return packed_ == nullptr; }
  bool operator!=(std::nullptr_t) const { return packed_ != nullptr; }

private:
  Function packed_;
};

template <typename FType> struct TypeTraits<TypedFunction<FType>> : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIFunction;
  using Self = TypedFunction<FType>;
  static void CopyToAnyView(const Self &src, TVMFFIAny *result) {
    TypeTraits<Function>::CopyToAnyView(src.packed(), result);
  }
  static void MoveToAny(Self src, TVMFFIAny *result) {
    TypeTraits<Function>::MoveToAny(std::move(src).packed(), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIFunction; }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    return Self(TypeTraits<Function>::CopyFromAnyViewAfterCheck(src));
  }
  static Self MoveFromAnyAfterCheck(TVMFFIAny *src) {
    return Self(TypeTraits<Function>::MoveFromAnyAfterCheck(src));
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    if (std::optional<Function> packed = TypeTraits<Function>::TryCastFromAnyView(src))
      return Self(*std::move(packed));
    return std::nullopt;
  }
  static std::string TypeStr() { return detail::FunctionInfo<FType>::Sig(); }
  static std::string TypeSchema() { return detail::FunctionInfo<FType>::TypeSchema(); }
};

/// The index of a registered type key; throws where it is unknown.
inline int32_t TypeKeyToIndex(std::string_view type_key) {
  TVMFFIByteArray bytes{type_key.data(), type_key.size()};
  int32_t index = 0;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&bytes, &index));
  return index;
}

} // namespace ffi
} // namespace tvm

/// 1: exported functions come with their type schema as metadata, and with what
/// TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC says of them.
#ifndef TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 0
#endif

#define TVM_FFI_INNER_EXPORT_(ExportName, Func)                                                    \
  extern "C" {                                                                                     \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##ExportName(void *, const TVMFFIAny *args, int32_t num_args,   \
                                                TVMFFIAny *result) {                               \
    TVM_FFI_SAFE_CALL_BEGIN();                                                                     \
    ::tvm::ffi::inner::callTyped(#ExportName, Func,                                                \
                                 reinterpret_cast<const ::tvm::ffi::AnyView *>(args), num_args,    \
                                 reinterpret_cast<::tvm::ffi::Any *>(result));                     \
    TVM_FFI_SAFE_CALL_END();                                                                       \
  }                                                                                                \
  }

#define TVM_FFI_INNER_EXPORT_TEXT_(Symbol, Text)                                                   \
  extern "C" {                                                                                     \
  TVM_FFI_DLL_EXPORT int Symbol(void *, const TVMFFIAny *, int32_t, TVMFFIAny *result) {           \
    TVM_FFI_SAFE_CALL_BEGIN();                                                                     \
    *reinterpret_cast<::tvm::ffi::Any *>(result) = ::tvm::ffi::String(Text);                       \
    TVM_FFI_SAFE_CALL_END();                                                                       \
  }                                                                                                \
  }

/// Exports `Func` as the library's function `ExportName`. At namespace scope, once a name.
#if TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, Func)                                            \
  TVM_FFI_INNER_EXPORT_(ExportName, Func)                                                          \
  TVM_FFI_INNER_EXPORT_TEXT_(                                                                      \
      __tvm_ffi__metadata_##ExportName,                                                            \
      ::tvm::ffi::inner::concat(                                                                   \
          "{\"type_schema\":",                                                                     \
          std::string(::tvm::ffi::EscapeStringJSON(                                                \
              ::tvm::ffi::detail::FunctionInfo<std::decay_t<decltype(Func)>>::TypeSchema())),      \
          "}"))
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, DocString)                                   \
  TVM_FFI_INNER_EXPORT_TEXT_(__tvm_ffi__doc_##ExportName, DocString)
#else
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, Func) TVM_FFI_INNER_EXPORT_(ExportName, Func)
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, DocString)
#endif

#endif // TVM_FFI_FUNCTION_H_
