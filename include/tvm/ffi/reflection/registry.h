/// Registering: GlobalDef for global functions, ObjectDef for a class's fields and methods,
/// TypeAttrDef for its attributes. All of it when a library is loaded.
#ifndef TVM_FFI_REFLECTION_REGISTRY_H_
#define TVM_FFI_REFLECTION_REGISTRY_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/inner/definition.h>
#include <tvm/ffi/inner/overload_cast.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {

namespace inner {
/// A class's object as a default constructor makes it, or the one for objects that are filled in.
template <typename Class>
inline constexpr bool isCreatable =
    std::is_default_constructible_v<Class> || std::is_constructible_v<Class, UnsafeInit>;

template <typename Class> ObjectPtr<Class> createEmpty() {
  if constexpr (std::is_default_constructible_v<Class>)
    return make_object<Class>();
  else
    return make_object<Class>(UnsafeInit{});
}

/// Bytes from an object's header to a field. No object is read.
template <typename Class, typename Base, typename T> int64_t fieldOffset(T Base::*field) {
  static_assert(std::is_base_of_v<Base, Class>, "the field is not of the class");
  // Not null: a cast of null would stay null whatever the bases.
  auto *object = reinterpret_cast<Class *>(uintptr_t(1) << 16);
  auto *header = reinterpret_cast<char *>(static_cast<Object *>(object));
  return reinterpret_cast<char *>(&(object->*field)) - header;
}

template <typename T> int getField(void *field, TVMFFIAny *result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(*static_cast<const T *>(field)));
  TVM_FFI_SAFE_CALL_END();
}

template <typename T> int setField(void *field, const TVMFFIAny *value) {
  TVM_FFI_SAFE_CALL_BEGIN();
  AnyView view = AnyView::CopyFromTVMFFIAny(*value);
  if constexpr (std::is_same_v<T, Any>)
    *static_cast<T *>(field) = view;
  else
    *static_cast<T *>(field) = view.cast<T>();
  TVM_FFI_SAFE_CALL_END();
}

template <typename Class> int createObject(TVMFFIObjectHandle *result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *result = detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(createEmpty<Class>());
  TVM_FFI_SAFE_CALL_END();
}

inline void registerTypeAttr(int32_t typeIndex, const char *name, const Any &value) {
  TVMFFIByteArray bytes = reflection::AsByteArray(name);
  TVMFFIAny raw = AnyView(value).CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(typeIndex, &bytes, &raw));
}

/// A method as a callable whose first parameter is the object of Class: also of a base's method.
template <typename Class, typename F> auto bindMethod(F func) { return func; }
template <typename Class, typename Base, typename R, typename... Args>
auto bindMethod(R (Base::*func)(Args...)) {
  if constexpr (std::is_base_of_v<Object, Base>)
    return [func](Class *self, Args... args) -> R {
      return (self->*func)(std::forward<Args>(args)...);
    };
  else
    return func;
}
template <typename Class, typename Base, typename R, typename... Args>
auto bindMethod(R (Base::*func)(Args...) const) {
  if constexpr (std::is_base_of_v<Object, Base>)
    return [func](const Class *self, Args... args) -> R {
      return (self->*func)(std::forward<Args>(args)...);
    };
  else
    return func;
}

/// Registers an attribute: a value, or a function with C++ parameters.
template <typename Class, typename T>
void registerValueOrFunction(int32_t typeIndex, const char *name, T &&value) {
  if constexpr (std::is_constructible_v<Any, std::decay_t<T>> && isConvertible<std::decay_t<T>>)
    registerTypeAttr(typeIndex, name, Any(std::decay_t<T>(std::forward<T>(value))));
  else
    registerTypeAttr(typeIndex, name,
                     Function::FromTyped(bindMethod<Class>(std::forward<T>(value)),
                                         concat(Class::_type_key, ".", name)));
}

/// Registers what converts values to a class's references.
template <typename Ref> void registerConvert(int32_t typeIndex) {
  auto convert = [](AnyView value) -> Any {
    if (std::optional<Ref> result = value.try_cast<Ref>())
      return *std::move(result);
    TVMFFIAny raw = value.CopyToTVMFFIAny();
    throwAt("TypeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
            concat("Cannot cast from `", TypeTraits<Ref>::GetMismatchTypeInfo(&raw), "` to `",
                   TypeTraits<Ref>::TypeStr(), "`"));
  };
  registerTypeAttr(typeIndex, reflection::type_attr::kConvert, Function::FromTyped(convert));
}

/// Registers a method under a class.
template <typename Info, typename... Extra>
void registerMethod(int32_t typeIndex, const char *name, const Function &function, bool isStatic,
                    const Extra &...extra) {
  reflection::MethodInfoBuilder info{};
  info.name = reflection::AsByteArray(name);
  info.flags = isStatic ? kTVMFFIFieldFlagBitMaskIsStaticMethod : 0;
  info.method = AnyView(function).CopyToTVMFFIAny();
  DefinitionExtras<reflection::MethodInfoBuilder> extras(&info, Info::TypeSchema(), extra...);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMethod(typeIndex, &info));
}

/// True if `Extra` says something about what `Info` describes. Metadata says nothing about classes.
template <typename Extra, typename Info, typename = void> inline constexpr bool appliesTo = false;
template <typename Extra, typename Info>
inline constexpr bool
    appliesTo<Extra, Info,
              std::void_t<decltype(std::declval<const Extra &>().Apply(std::declval<Info *>()))>> =
        true;
} // namespace inner

namespace reflection {

/// Bytes from an object's header to a field.
template <typename Class, typename T> int64_t GetFieldByteOffsetToObject(T Class::*field) {
  return inner::fieldOffset<Class>(field);
}

/// The base of the definitions.
class ReflectionDefBase {};

/// Registers global functions: `GlobalDef().def("lib.add", add, "Adds two.")`.
class GlobalDef : public ReflectionDefBase {
public:
  /// A function with C++ parameters. After it: documentation (const char *) and Metadata.
  template <typename F, typename... Extra>
  GlobalDef &def(const char *name, F &&func, Extra &&...extra) {
    using Info = ::tvm::ffi::detail::FunctionInfo<std::decay_t<F>>;
    registerFunction(name, Function::FromTyped(std::decay_t<F>(std::forward<F>(func)), name),
                     Info::TypeSchema(), std::forward<Extra>(extra)...);
    return *this;
  }
  /// A function of packed arguments.
  template <typename F, typename... Extra>
  GlobalDef &def_packed(const char *name, F func, Extra &&...extra) {
    registerFunction(name, Function::FromPacked(std::move(func)), inner::atomSchema("ffi.Function"),
                     std::forward<Extra>(extra)...);
    return *this;
  }
  /// A member function; its object is the first argument.
  template <typename F, typename... Extra>
  GlobalDef &def_method(const char *name, F func, Extra &&...extra) {
    static_assert(std::is_member_function_pointer_v<F>, "def_method takes a member function");
    return def(name, func, std::forward<Extra>(extra)...);
  }

private:
  template <typename... Extra>
  static void registerFunction(const char *name, Function function, const std::string &schema,
                               const Extra &...extra) {
    MethodInfoBuilder info{};
    info.name = AsByteArray(name);
    info.flags = kTVMFFIFieldFlagBitMaskIsStaticMethod;
    info.method = AnyView(function).CopyToTVMFFIAny();
    inner::DefinitionExtras<MethodInfoBuilder> extras(&info, schema, extra...);
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0));
  }
};

/// Registers a class: its metadata at once, its fields and methods as they are named, and at the
/// end of the expression a constructor of all fields, unless it has one or `init(false)` is given.
///
///     ObjectDef<PairObj>("Two ints.").def_ro("a", &PairObj::a).def("sum", &PairObj::sum);
template <typename Class> class ObjectDef : public ReflectionDefBase {
public:
  template <typename... Extra>
  explicit ObjectDef(const Extra &...extra) : type_index_(Class::RuntimeTypeIndex()) {
    static_assert(std::is_base_of_v<Object, Class>, "ObjectDef is for objects");
    TVMFFITypeMetadata metadata{};
    (addClassExtra(&metadata, extra), ...);
    metadata.total_size = static_cast<int32_t>(sizeof(Class));
    metadata.structural_eq_hash_kind = Class::_type_s_eq_hash_kind;
    if constexpr (inner::isCreatable<Class>)
      metadata.creator = &inner::createObject<Class>;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(type_index_, &metadata));
    inner::registerTypeAttr(type_index_, type_attr::kTypeFinal, Any(bool(Class::_type_final)));
    if constexpr (inner::isCreatable<Class>)
      inner::registerTypeAttr(type_index_, type_attr::kNew, Function::FromTyped([]() -> ObjectRef {
                                return ObjectRef(inner::createEmpty<Class>());
                              }));
    if constexpr (std::is_copy_constructible_v<Class>)
      inner::registerTypeAttr(type_index_, type_attr::kShallowCopy,
                              Function::FromTyped([](const Object *self) -> ObjectRef {
                                return ObjectRef(
                                    make_object<Class>(*static_cast<const Class *>(self)));
                              }));
  }
  ObjectDef(const ObjectDef &) = delete;
  ObjectDef &operator=(const ObjectDef &) = delete;
  ~ObjectDef() noexcept(false) {
    if (!has_init_)
      if (std::optional<Function> generate = Function::GetGlobal("ffi._RegisterFFIInit"))
        (*generate)(type_index_);
  }

  /// A field that languages may read. After it: documentation, Metadata, default_value and the
  /// other properties of fields.
  template <typename Base, typename T, typename... Extra>
  ObjectDef &def_ro(const char *name, T Base::*field, const Extra &...extra) {
    registerField(name, field, false, extra...);
    return *this;
  }
  /// A field that languages may also write; for classes with `_type_mutable`.
  template <typename Base, typename T, typename... Extra>
  ObjectDef &def_rw(const char *name, T Base::*field, const Extra &...extra) {
    static_assert(Class::_type_mutable, "only a class with _type_mutable has writable fields");
    registerField(name, field, true, extra...);
    return *this;
  }
  /// A method: a member function, or a function whose first parameter is the object.
  template <typename F, typename... Extra>
  ObjectDef &def(const char *name, F &&func, const Extra &...extra) {
    registerMethod(name, inner::bindMethod<Class>(std::forward<F>(func)), false, extra...);
    return *this;
  }
  /// A function that belongs to the class.
  template <typename F, typename... Extra>
  ObjectDef &def_static(const char *name, F &&func, const Extra &...extra) {
    registerMethod(name, std::decay_t<F>(std::forward<F>(func)), true, extra...);
    return *this;
  }
  /// The class's constructor with these parameters, as what languages call.
  template <typename... Args, typename... Extra>
  ObjectDef &def(init<Args...>, const Extra &...extra) {
    has_init_ = true;
    auto construct = [](Args... args) -> ObjectRef {
      return ObjectRef(make_object<Class>(std::forward<Args>(args)...));
    };
    Function function = Function::FromTyped(construct, fullName("__ffi_init__"));
    inner::registerMethod<::tvm::ffi::detail::FunctionInfo<decltype(construct)>>(
        type_index_, type_attr::kInit.name, function, true, extra...);
    inner::registerTypeAttr(type_index_, type_attr::kInit, function);
    return *this;
  }
  /// An attribute: a value, or a function with C++ parameters.
  template <typename T> ObjectDef &def_type_attr(const char *name, T &&value) {
    inner::registerValueOrFunction<Class>(type_index_, name, std::forward<T>(value));
    return *this;
  }
  template <typename T, typename V> ObjectDef &def_type_attr(const AttrKey<T> &key, V &&value) {
    inner::registerTypeAttr(type_index_, key, Any(T(std::forward<V>(value))));
    return *this;
  }
  /// Values that languages store as the class are converted to Ref.
  template <typename Ref> ObjectDef &def_convert() {
    inner::registerConvert<Ref>(type_index_);
    return *this;
  }

protected:
  static std::string fullName(const char *name) {
    return inner::concat(Class::_type_key, ".", name);
  }

  int32_t type_index_;
  bool has_init_ = false;

private:
  template <typename Extra> void addClassExtra(TVMFFITypeMetadata *metadata, const Extra &extra) {
    if constexpr (std::is_convertible_v<const Extra &, std::string_view>) {
      std::string_view text = extra;
      metadata->doc = TVMFFIByteArray{text.data(), text.size()};
    } else if constexpr (std::is_same_v<Extra, init<>>) {
      has_init_ = has_init_ || !extra.enabled;
    } else if constexpr (inner::appliesTo<Extra, TVMFFITypeMetadata>) {
      extra.Apply(metadata);
    } else {
      static_assert(inner::appliesTo<Extra, FieldInfoBuilder>, "not an extra of a definition");
    }
  }

  template <typename Base, typename T, typename... Extra>
  void registerField(const char *name, T Base::*field, bool writable, const Extra &...extra) {
    static_assert(TypeTraits<T>::convert_enabled, "the ABI cannot carry the field's type");
    FieldInfoBuilder info{};
    info.name = AsByteArray(name);
    info.flags = writable ? kTVMFFIFieldFlagBitMaskWritable : 0;
    info.size = sizeof(T);
    info.alignment = alignof(T);
    info.offset = inner::fieldOffset<Class>(field);
    info.getter = &inner::getField<T>;
    info.setter = reinterpret_cast<void *>(&inner::setField<T>);
    inner::setNone(&info.default_value_or_factory);
    info.field_static_type_index = TypeTraits<T>::field_static_type_index;
    inner::DefinitionExtras<FieldInfoBuilder> extras(&info, TypeTraits<T>::TypeSchema(), extra...);
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(type_index_, &info));
  }
  template <typename F, typename... Extra>
  void registerMethod(const char *name, F func, bool isStatic, const Extra &...extra) {
    Function function;
    if constexpr (std::is_base_of_v<Function, F>)
      function = func;
    else
      function = Function::FromTyped(std::move(func), fullName(name));
    inner::registerMethod<::tvm::ffi::detail::FunctionInfo<F>>(type_index_, name, function,
                                                               isStatic, extra...);
  }
};

/// Registers attributes of a type: `TypeAttrDef<PairObj>().def("__ffi_repr__", show)`.
template <typename Class, typename = std::enable_if_t<std::is_base_of_v<Object, Class>>>
class TypeAttrDef : public ReflectionDefBase {
public:
  TypeAttrDef() : type_index_(Class::RuntimeTypeIndex()) {}

  /// A value, or a function with C++ parameters, or a member function.
  template <typename F> TypeAttrDef &def(const char *name, F &&func) {
    inner::registerValueOrFunction<Class>(type_index_, name, std::forward<F>(func));
    return *this;
  }
  template <typename T, typename F> TypeAttrDef &def(const AttrKey<T> &key, F &&func) {
    return def(key.name, std::forward<F>(func));
  }
  /// A value.
  template <typename T> TypeAttrDef &attr(const char *name, T value) {
    inner::registerTypeAttr(type_index_, name, Any(std::move(value)));
    return *this;
  }
  template <typename T, typename V> TypeAttrDef &attr(const AttrKey<T> &key, V &&value) {
    inner::registerTypeAttr(type_index_, key, Any(T(std::forward<V>(value))));
    return *this;
  }
  /// A function that is called without packing; `Fn` may throw.
  template <auto Fn, typename T> TypeAttrDef &native_fn_attr(const AttrKey<T> &key) {
    inner::registerTypeAttr(type_index_, key, Any(T::template FromNative<Fn>()));
    return *this;
  }
  /// Values that languages store as the class are converted to Ref.
  template <typename Ref> TypeAttrDef &def_convert() {
    inner::registerConvert<Ref>(type_index_);
    return *this;
  }

private:
  int32_t type_index_;
};

} // namespace reflection
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_REFLECTION_REGISTRY_H_
