/// Tuple<Types...>: a fixed number of values, each of a type of its own. An Array behind.
#ifndef TVM_FFI_CONTAINER_TUPLE_H_
#define TVM_FFI_CONTAINER_TUPLE_H_

#include <tvm/ffi/container/array.h>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/// Values of the types in turn. Copied when a shared one is written to. Never null (but after it
/// was moved from).
template <typename... Types> class Tuple : public ObjectRef {
  static_assert(detail::all_storage_enabled_v<Types...>, "a Tuple holds what an Any can hold");

public:
  using ContainerType = ArrayObj;
  static constexpr bool _type_is_nullable = false;
  static constexpr bool _type_container_is_exact = false;

  /// Default values.
  template <typename Dummy = void,
            typename = std::enable_if_t<std::is_void_v<Dummy> &&
                                        (std::is_default_constructible_v<Types> && ...)>>
  Tuple() : ObjectRef(make(Any(Types())...)) {}
  explicit Tuple(UnsafeInit tag) : ObjectRef(tag) {}
  /// Takes an array over that is known to have the right values.
  explicit Tuple(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {}
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Tuple);
  template <typename... Values,
            typename = std::enable_if_t<(sizeof...(Values) == sizeof...(Types)) &&
                                        sizeof...(Values) != 0 &&
                                        (std::is_constructible_v<Types, Values &&> && ...)>,
            typename = void>
  Tuple(Values &&...values) // NOLINT(*)
      : ObjectRef(make(Any(Types(std::forward<Values>(values)))...)) {}
  template <typename... Others,
            typename = std::enable_if_t<!std::is_same_v<Tuple<Others...>, Tuple> &&
                                        (type_subsumes_v<Types, Others> && ...)>>
  Tuple(const Tuple<Others...> &other) // NOLINT(*)
      : ObjectRef(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(other)) {}

  static constexpr size_t size() { return sizeof...(Types); }

  /// Value `I`.
  template <size_t I> auto get() const & {
    static_assert(I < sizeof...(Types), "the tuple has fewer values");
    return inner::readStored<Element<I>>(obj()->begin()[I]);
  }
  /// The same, moved out of a tuple that goes, where nobody else has its values.
  template <size_t I> auto get() && {
    static_assert(I < sizeof...(Types), "the tuple has fewer values");
    Any *value = obj()->begin() + I;
    return data_.unique() ? inner::takeStored<Element<I>>(value)
                          : inner::readStored<Element<I>>(*value);
  }
  /// Gives place `I` a value.
  template <size_t I, typename U> void Set(U &&value) {
    static_assert(I < sizeof...(Types), "the tuple has fewer values");
    Any item(Element<I>(std::forward<U>(value)));
    if (!data_.unique()) {
      ObjectPtr<ArrayObj> fresh = ArrayObj::Empty(static_cast<int64_t>(sizeof...(Types)));
      fresh->CopyValuesAfterCheck(obj());
      data_ = std::move(fresh);
    }
    obj()->SetItemAfterCheck(I, std::move(item));
  }

  const ArrayObj *operator->() const { return obj(); }
  const ArrayObj *get() const { return obj(); }

private:
  template <size_t I> using Element = std::tuple_element_t<I, std::tuple<Types...>>;

  template <typename... Values> static ObjectPtr<Object> make(Values &&...values) {
    ObjectPtr<ArrayObj> array = ArrayObj::Empty(static_cast<int64_t>(sizeof...(Types)));
    (array->EmplaceBackAfterCheck(std::forward<Values>(values)), ...);
    return array;
  }
  ArrayObj *obj() const { return static_cast<ArrayObj *>(data_.get()); }
};

template <typename... Values> Tuple(Values &&...) -> Tuple<std::decay_t<Values>...>;

/// For structured bindings.
template <size_t I, typename... Types> auto get(const Tuple<Types...> &tuple) {
  return tuple.template get<I>();
}
template <size_t I, typename... Types> auto get(Tuple<Types...> &&tuple) {
  return std::move(tuple).template get<I>();
}

namespace inner {
template <typename Base, typename Derived> inline constexpr bool tupleSubsumes = false;
template <typename... Base, typename... Derived>
inline constexpr bool tupleSubsumes<std::tuple<Base...>, std::tuple<Derived...>> = [] {
  if constexpr (sizeof...(Base) == sizeof...(Derived))
    return (type_subsumes_v<Base, Derived> && ...);
  else
    return false;
}();

/// The texts with a separator between them.
template <typename... Texts> std::string join(const char *separator, const Texts &...texts) {
  std::string result;
  [[maybe_unused]] bool first = true;
  ((result.append(first ? "" : separator).append(texts), first = false), ...);
  return result;
}
} // namespace inner

template <typename... Base, typename... Derived>
inline constexpr bool type_subsumes_v<Tuple<Base...>, Tuple<Derived...>> =
    inner::tupleSubsumes<std::tuple<Base...>, std::tuple<Derived...>>;

template <typename... Types>
inline constexpr bool use_default_type_traits_v<Tuple<Types...>> = false;

/// An Array of exactly that many values; copied where one is converted.
template <typename... Types>
struct TypeTraits<Tuple<Types...>> : ObjectRefTypeTraitsBase<Tuple<Types...>> {
  static constexpr int32_t field_static_type_index = kTVMFFIArray;
  using Base = ObjectRefTypeTraitsBase<Tuple<Types...>>;

  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return fits(src) && checkAll(src, std::index_sequence_for<Types...>{});
  }
  static std::optional<Tuple<Types...>> TryCastFromAnyView(const TVMFFIAny *src) {
    if (!fits(src))
      return std::nullopt;
    if (checkAll(src, std::index_sequence_for<Types...>{}))
      return Base::CopyFromAnyViewAfterCheck(src);
    ObjectPtr<ArrayObj> result = ArrayObj::Empty(static_cast<int64_t>(sizeof...(Types)));
    if (!convertAll(src, result.get(), std::index_sequence_for<Types...>{}))
      return std::nullopt;
    return Tuple<Types...>(ObjectPtr<Object>(std::move(result)));
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    if (src->type_index != kTVMFFIArray)
      return TypeTraitsBase::GetMismatchTypeInfo(src);
    if (!fits(src))
      return inner::concat("Array[size=", std::to_string(arrayOf(src)->size()), "]");
    std::string text = TypeTraitsBase::GetMismatchTypeInfo(src);
    describe(src, &text, std::index_sequence_for<Types...>{});
    return text;
  }
  static std::string TypeStr() {
    return inner::concat("Tuple<", inner::join(", ", TypeTraits<Types>::TypeStr()...), ">");
  }
  static std::string TypeSchema() {
    return inner::concat("{\"type\":\"Tuple\",\"args\":[",
                         inner::join(",", TypeTraits<Types>::TypeSchema()...), "]}");
  }

private:
  static const ArrayObj *arrayOf(const TVMFFIAny *src) {
    return static_cast<const ArrayObj *>(reinterpret_cast<const Object *>(src->v_obj));
  }
  static bool fits(const TVMFFIAny *src) {
    return src->type_index == kTVMFFIArray && arrayOf(src)->size() == sizeof...(Types);
  }
  template <size_t... I> static bool checkAll(const TVMFFIAny *src, std::index_sequence<I...>) {
    [[maybe_unused]] const Any *values = arrayOf(src)->begin();
    return (detail::AnyUnsafe::CheckAnyStrict<Types>(values[I]) && ...);
  }
  template <size_t... I>
  static bool convertAll(const TVMFFIAny *src, ArrayObj *to, std::index_sequence<I...>) {
    [[maybe_unused]] const Any *values = arrayOf(src)->begin();
    return (convertOne<Types>(values[I], to) && ...);
  }
  template <typename T> static bool convertOne(const Any &value, ArrayObj *to) {
    std::optional<T> item = value.template try_cast<T>();
    if (item)
      to->EmplaceBackAfterCheck(Any(*std::move(item)));
    return item.has_value();
  }
  /// Says which value does not fit first.
  template <size_t... I>
  static void describe(const TVMFFIAny *src, std::string *text, std::index_sequence<I...>) {
    [[maybe_unused]] const Any *values = arrayOf(src)->begin();
    (void)((values[I].template try_cast<Types>().has_value() ||
            (*text = inner::concat("Array[index ", std::to_string(I), ": ",
                                   mismatch<Types>(values[I]), "]"),
             false)) &&
           ...);
  }
  template <typename T> static std::string mismatch(const Any &value) {
    if constexpr (std::is_same_v<T, Any>)
      return value.GetTypeKey();
    else
      return detail::AnyUnsafe::GetMismatchTypeInfo<T>(value);
  }
};

} // namespace ffi
} // namespace tvm

template <typename... Types>
struct std::tuple_size<::tvm::ffi::Tuple<Types...>>
    : std::integral_constant<std::size_t, sizeof...(Types)> {};
template <std::size_t I, typename... Types>
struct std::tuple_element<I, ::tvm::ffi::Tuple<Types...>> {
  using type = std::tuple_element_t<I, std::tuple<Types...>>;
};
#endif // TVM_FFI_CONTAINER_TUPLE_H_
