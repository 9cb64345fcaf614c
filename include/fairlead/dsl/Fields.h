/// Structs as parameters of functions and kernels: they travel field by field.
#ifndef FAIRLEAD_DSL_FIELDS_H_
#define FAIRLEAD_DSL_FIELDS_H_

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::dsl::detail {

/// A struct that can be a parameter lists its fields, which are tensors, scalars, pointers, streams
/// or such structs:
///
///     struct Scaled {
///       Tensor data;
///       Scalar factor;
///       static constexpr auto kFields = std::make_tuple(&Scaled::data, &Scaled::factor);
///     };
template <typename T, typename = void> struct HasFields : std::false_type {};
template <typename T> struct HasFields<T, std::void_t<decltype(T::kFields)>> : std::true_type {};

template <typename T> struct IsTuple : std::false_type {};
template <typename... T> struct IsTuple<std::tuple<T...>> : std::true_type {};

/// Appends what a value consists of; pointers are arguments as tensors of one element.
template <typename T> void appendArguments(std::vector<Argument> &arguments, const T &value) {
  if constexpr (HasFields<T>::value)
    std::apply([&](auto... field) { (appendArguments(arguments, value.*field), ...); }, T::kFields);
  else if constexpr (IsTuple<T>::value)
    std::apply([&](const auto &...part) { (appendArguments(arguments, part), ...); }, value);
  else if constexpr (std::is_same_v<T, Pointer>)
    arguments.emplace_back(value.tensor({Scalar(1)}, {Scalar(1)}));
  else if constexpr (std::is_constructible_v<Argument, const T &>)
    arguments.emplace_back(value);
  else
    arguments.emplace_back(Scalar(value));
}

template <typename T> T takeArgument(const std::vector<Argument> &arguments, size_t &next);

template <typename... T>
std::tuple<T...> takeTuple(const std::vector<Argument> &arguments, size_t &next,
                           std::tuple<T...> *) {
  return std::tuple<T...>{takeArgument<T>(arguments, next)...}; // in order, in braces
}

/// The inverse, from the argument `next` on.
template <typename T> T takeArgument(const std::vector<Argument> &arguments, size_t &next) {
  if constexpr (HasFields<T>::value) {
    T value{};
    auto take = [&](auto &field) {
      field = takeArgument<std::decay_t<decltype(field)>>(arguments, next);
    };
    std::apply([&](auto... field) { (take(value.*field), ...); }, T::kFields);
    return value;
  } else if constexpr (IsTuple<T>::value) {
    return takeTuple(arguments, next, static_cast<T *>(nullptr));
  } else if constexpr (std::is_same_v<T, Pointer>) {
    return Pointer(std::get<Tensor>(arguments.at(next++)));
  } else {
    return std::get<T>(arguments.at(next++));
  }
}

} // namespace fairlead::dsl::detail
#endif // FAIRLEAD_DSL_FIELDS_H_
