/// Types of the standard library as parameters and results: always copied, never stored.
#ifndef TVM_FFI_EXTRA_STL_H_
#define TVM_FFI_EXTRA_STL_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/function.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tvm {
namespace ffi {
namespace inner {

/// There is nothing in such a value that a view could lend: calls hold what MoveToAny makes.
struct StlTraitsBase : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static constexpr bool view_needs_owner = true;

  /// For code that makes views by hand: nothing owns the object that the view gets, which so stays
  /// as long as the process. Calls do without it.
  template <typename T> static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    TypeTraits<T>::MoveToAny(T(src), result);
  }

protected:
  static const SeqBaseObj *sequenceOf(const TVMFFIAny *src) {
    return static_cast<const SeqBaseObj *>(reinterpret_cast<const Object *>(src->v_obj));
  }
  static void moveObject(ObjectRef ref, TVMFFIAny *result) {
    TypeTraits<ObjectRef>::MoveToAny(std::move(ref), result);
  }
  template <typename T> static bool readInto(const Any &value, std::optional<T> *result) {
    *result = value.template try_cast<T>();
    return result->has_value();
  }
};

/// std::tuple and std::array: an Array of exactly that many values.
template <typename Self, typename... Types> struct StlTupleTraits : StlTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIArray;
  static void MoveToAny(Self src, TVMFFIAny *result) {
    ObjectPtr<ArrayObj> array = ArrayObj::Empty(static_cast<int64_t>(sizeof...(Types)));
    std::apply(
        [&array](auto &...values) { (array->EmplaceBackAfterCheck(Any(std::move(values))), ...); },
        src);
    moveObject(ObjectRef(std::move(array)), result);
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index != kTVMFFIArray || sequenceOf(src)->size() != sizeof...(Types))
      return std::nullopt;
    return convert(sequenceOf(src)->begin(), std::index_sequence_for<Types...>{});
  }

private:
  template <size_t... I>
  static std::optional<Self> convert([[maybe_unused]] const Any *values,
                                     std::index_sequence<I...>) {
    std::tuple<std::optional<Types>...> parts;
    if (!(StlTraitsBase::readInto(values[I], &std::get<I>(parts)) && ...))
      return std::nullopt;
    return Self{*std::move(std::get<I>(parts))...};
  }
};

template <typename T, size_t> using Repeated = T;
template <typename T, size_t N, typename Indices = std::make_index_sequence<N>>
struct StlArrayTraits;
template <typename T, size_t N, size_t... I>
struct StlArrayTraits<T, N, std::index_sequence<I...>>
    : StlTupleTraits<std::array<T, N>, Repeated<T, I>...> {};

/// std::map and std::unordered_map: a Map.
template <typename Self> struct StlMapTraits : StlTraitsBase {
  using K = typename Self::key_type;
  using V = typename Self::mapped_type;
  static constexpr int32_t field_static_type_index = kTVMFFIMap;
  static void MoveToAny(Self src, TVMFFIAny *result) {
    Map<Any, Any> map;
    for (auto &[key, value] : src)
      map.Set(Any(key), Any(std::move(value)));
    moveObject(std::move(map), result);
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index != kTVMFFIMap)
      return std::nullopt;
    Self result;
    for (const auto &entry :
         *static_cast<const MapObj *>(reinterpret_cast<const Object *>(src->v_obj))) {
      std::optional<K> key = entry.first.template try_cast<K>();
      std::optional<V> value;
      if (key)
        value = entry.second.template try_cast<V>();
      if (!value)
        return std::nullopt;
      result.emplace(*std::move(key), *std::move(value));
    }
    return result;
  }

protected:
  static std::string named(const char *name) {
    return concat(name, "<", TypeTraits<K>::TypeStr(), ", ", TypeTraits<V>::TypeStr(), ">");
  }
  static std::string schema(const char *name) {
    return concat("{\"type\":\"", name, "\",\"args\":[", TypeTraits<K>::TypeSchema(), ",",
                  TypeTraits<V>::TypeSchema(), "]}");
  }
};
} // namespace inner

template <typename T> struct TypeTraits<std::vector<T>> : inner::StlTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIArray;
  static void MoveToAny(std::vector<T> src, TVMFFIAny *result) {
    ObjectPtr<ArrayObj> array = ArrayObj::Empty(static_cast<int64_t>(src.size()));
    for (auto &&value : src)
      array->EmplaceBackAfterCheck(Any(T(std::move(value))));
    moveObject(ObjectRef(std::move(array)), result);
  }
  /// Of an Array or a List.
  static std::optional<std::vector<T>> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index != kTVMFFIArray && src->type_index != kTVMFFIList)
      return std::nullopt;
    std::vector<T> result;
    result.reserve(sequenceOf(src)->size());
    for (const Any &value : *sequenceOf(src)) {
      std::optional<T> item;
      if (!readInto(value, &item))
        return std::nullopt;
      result.push_back(*std::move(item));
    }
    return result;
  }
  static std::string TypeStr() {
    return inner::concat("std::vector<", TypeTraits<T>::TypeStr(), ">");
  }
  static std::string TypeSchema() {
    return inner::compositeSchema("std::vector", TypeTraits<T>::TypeSchema());
  }
};

template <typename T, size_t N> struct TypeTraits<std::array<T, N>> : inner::StlArrayTraits<T, N> {
  static std::string TypeStr() {
    return inner::concat("std::array<", TypeTraits<T>::TypeStr(), ", ", std::to_string(N), ">");
  }
  static std::string TypeSchema() {
    return inner::compositeSchema(
        "std::array", inner::concat(TypeTraits<T>::TypeSchema(), ",", std::to_string(N)));
  }
};

template <typename... Types>
struct TypeTraits<std::tuple<Types...>> : inner::StlTupleTraits<std::tuple<Types...>, Types...> {
  static std::string TypeStr() {
    return inner::concat("std::tuple<", inner::join(", ", TypeTraits<Types>::TypeStr()...), ">");
  }
  static std::string TypeSchema() {
    return inner::compositeSchema("std::tuple",
                                  inner::join(", ", TypeTraits<Types>::TypeSchema()...));
  }
};

template <typename K, typename V, typename... Rest>
struct TypeTraits<std::map<K, V, Rest...>> : inner::StlMapTraits<std::map<K, V, Rest...>> {
  using Base = inner::StlMapTraits<std::map<K, V, Rest...>>;
  static std::string TypeStr() { return Base::named("std::map"); }
  static std::string TypeSchema() { return Base::schema("std::map"); }
};

template <typename K, typename V, typename... Rest>
struct TypeTraits<std::unordered_map<K, V, Rest...>>
    : inner::StlMapTraits<std::unordered_map<K, V, Rest...>> {
  using Base = inner::StlMapTraits<std::unordered_map<K, V, Rest...>>;
  static std::string TypeStr() { return Base::named("std::unordered_map"); }
  static std::string TypeSchema() { return Base::schema("std::unordered_map"); }
};

template <typename T> struct TypeTraits<std::optional<T>> : inner::StlTraitsBase {
  static void MoveToAny(std::optional<T> src, TVMFFIAny *result) {
    if (src)
      TypeTraits<T>::MoveToAny(*std::move(src), result);
    else
      inner::setNone(result);
  }
  static std::optional<std::optional<T>> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == kTVMFFINone)
      return std::optional<std::optional<T>>(std::in_place);
    if (std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src))
      return std::optional<std::optional<T>>(std::in_place, std::move(value));
    return std::nullopt;
  }
  static std::string TypeStr() {
    return inner::concat("std::optional<", TypeTraits<T>::TypeStr(), ">");
  }
  static std::string TypeSchema() {
    return inner::compositeSchema("std::optional", TypeTraits<T>::TypeSchema());
  }
};

/// The first alternative that the value fits exactly, else the first that it converts to.
template <typename... Types> struct TypeTraits<std::variant<Types...>> : inner::StlTraitsBase {
  using Self = std::variant<Types...>;
  static void MoveToAny(Self src, TVMFFIAny *result) {
    std::visit(
        [result](auto &&value) {
          TypeTraits<std::decay_t<decltype(value)>>::MoveToAny(std::move(value), result);
        },
        std::move(src));
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    std::optional<Self> result;
    (void)((tryStrict<Types>(src, &result) || ...) || (tryConvert<Types>(src, &result) || ...));
    return result;
  }
  static std::string TypeStr() {
    return inner::concat("std::variant<", inner::join(", ", TypeTraits<Types>::TypeStr()...), ">");
  }
  static std::string TypeSchema() {
    return inner::compositeSchema("std::variant",
                                  inner::join(", ", TypeTraits<Types>::TypeSchema()...));
  }

private:
  template <typename T> static bool tryStrict(const TVMFFIAny *src, std::optional<Self> *result) {
    if constexpr (TypeTraits<T>::storage_enabled) {
      if (TypeTraits<T>::CheckAnyStrict(src))
        result->emplace(TypeTraits<T>::CopyFromAnyViewAfterCheck(src));
    }
    return result->has_value();
  }
  template <typename T> static bool tryConvert(const TVMFFIAny *src, std::optional<Self> *result) {
    if (std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src))
      result->emplace(*std::move(value));
    return result->has_value();
  }
};

template <typename R, typename... Args>
struct TypeTraits<std::function<R(Args...)>> : inner::StlTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIFunction;
  using Self = std::function<R(Args...)>;
  static void MoveToAny(Self src, TVMFFIAny *result) {
    if (src)
      moveObject(Function::FromTyped(std::move(src)), result);
    else
      inner::setNone(result);
  }
  /// Of a Function, which is called through; None makes an empty one.
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *src) {
    std::optional<Function> function = TypeTraits<Function>::TryCastFromAnyView(src);
    if (!function)
      return std::nullopt;
    if (*function == nullptr)
      return Self();
    return Self([function = *std::move(function)](Args... args) -> R {
      if constexpr (std::is_void_v<R>)
        function(std::forward<Args>(args)...);
      else
        return function(std::forward<Args>(args)...).template cast<R>();
    });
  }
  static std::string TypeStr() {
    return inner::concat("std::function<", detail::Type2Str<R>::v(), "(",
                         inner::join(", ", detail::Type2Str<Args>::v()...), ")>");
  }
  static std::string TypeSchema() {
    std::string result = inner::atomSchema("None");
    if constexpr (!std::is_void_v<R>)
      result = TypeTraitsNoCR<R>::TypeSchema();
    return inner::concat("{\"type\":\"std::function\",\"named_args\":{\"return\":[", result,
                         "],\"params\":[", inner::join(", ", TypeTraitsNoCR<Args>::TypeSchema()...),
                         "]}}");
  }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_STL_H_
