/// What functions and kernels can have as parameters besides tensors, numbers and streams: structs,
/// tuples, arrays, optional parts, tuples of integers and layouts. They travel part by part.
#ifndef FAIRLEAD_DSL_FIELDS_H_
#define FAIRLEAD_DSL_FIELDS_H_

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Coordinates.h"
#include "fairlead/dsl/Fake.h"
#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::dsl::detail {

/// A struct that can be a parameter lists its fields, which are of the same kinds as parameters:
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
template <typename T> struct IsArray : std::false_type {};
template <typename T, size_t N> struct IsArray<std::array<T, N>> : std::true_type {};
template <typename T> struct IsVector : std::false_type {};
template <typename T> struct IsVector<std::vector<T>> : std::true_type {};
template <typename T> struct IsOptional : std::false_type {};
template <typename T> struct IsOptional<std::optional<T>> : std::true_type {};

/// The integers of a tuple that are known only when the program runs; of a step how many.
inline void appendDynamic(std::vector<Argument> &arguments, const layout::IntTuple &tuple) {
  for (const layout::Int &leaf : tuple.leaves())
    if (!leaf.isStatic())
      arguments.emplace_back(toScalar(leaf.steps()));
}

/// Appends what a value consists of; pointers are arguments as tensors of one element.
template <typename T> void appendArguments(std::vector<Argument> &arguments, const T &value) {
  if constexpr (HasFields<T>::value) {
    std::apply([&](auto... field) { (appendArguments(arguments, value.*field), ...); }, T::kFields);
  } else if constexpr (IsTuple<T>::value) {
    std::apply([&](const auto &...part) { (appendArguments(arguments, part), ...); }, value);
  } else if constexpr (IsArray<T>::value || IsVector<T>::value) {
    for (const auto &part : value)
      appendArguments(arguments, part);
  } else if constexpr (IsOptional<T>::value) {
    if (value)
      appendArguments(arguments, *value);
  } else if constexpr (std::is_same_v<T, layout::IntTuple>) {
    appendDynamic(arguments, value);
  } else if constexpr (std::is_same_v<T, layout::Layout>) {
    appendDynamic(arguments, value.shape());
    appendDynamic(arguments, value.stride());
  } else if constexpr (std::is_same_v<T, Pointer>) {
    arguments.emplace_back(value.tensor({Scalar(1)}, {Scalar(1)}));
  } else if constexpr (std::is_same_v<T, Swizzle>) {
    // Known while tracing.
  } else {
    static_assert(std::is_constructible_v<Argument, const T &>, "no type of a parameter");
    arguments.emplace_back(value);
  }
}

/// Gives arguments back to parameters, in order.
class ArgumentReader {
public:
  /// For a kernel, whose parameters are like the values that it is launched with.
  ArgumentReader(const std::vector<Argument> &arguments, std::string function)
      : arguments(arguments), function(std::move(function)) {}
  /// For a host function, whose parameters are as `fakes` describe.
  ArgumentReader(const std::vector<Argument> &arguments, std::string function,
                 const std::vector<std::string> &names, const std::vector<Fake> &fakes)
      : arguments(arguments), function(std::move(function)), names(&names), fakes(&fakes) {}

  /// `like`: the value with which a kernel is launched; null for a host function.
  template <typename T> T take(const T *like) {
    if constexpr (HasFields<T>::value) {
      T value{};
      std::apply([&](auto... field) { (takeField(value, field, like), ...); }, T::kFields);
      return value;
    } else if constexpr (IsTuple<T>::value) {
      return takeTuple(like, static_cast<T *>(nullptr));
    } else if constexpr (IsArray<T>::value) {
      return takeArray(like, std::make_index_sequence<std::tuple_size_v<T>>());
    } else if constexpr (IsVector<T>::value) {
      if (!like)
        reject("a std::array, whose length is known", "std::vector");
      T value;
      for (const auto &part : *like)
        value.push_back(take(&part));
      return value;
    } else if constexpr (IsOptional<T>::value) {
      return takeOptional(like);
    } else if constexpr (std::is_same_v<T, layout::IntTuple>) {
      return like ? takeLike(*like) : takeIntegers();
    } else if constexpr (std::is_same_v<T, layout::Layout>) {
      return takeLayout(like);
    } else if constexpr (std::is_same_v<T, Swizzle>) {
      if (!like)
        reject("what the body captures", "Swizzle");
      return *like;
    } else if constexpr (std::is_same_v<T, Pointer>) {
      return Pointer(takeOne<Tensor, FakePointer>("a pointer"));
    } else if constexpr (std::is_same_v<T, Tensor>) {
      return takeOne<Tensor, FakeTensor>("a tensor");
    } else if constexpr (std::is_same_v<T, Stream>) {
      return takeOne<Stream, FakeStream>("a stream");
    } else {
      static_assert(std::is_same_v<T, Scalar>, "no type of a parameter");
      return takeOne<Scalar, FakeScalar, SymInt>("a number");
    }
  }

  /// Throws fairlead::Error (TypeError, ParameterCount) where arguments are left.
  void finish() const {
    if (fakes && nextFake != fakes->size())
      rejectCount(fakes->size());
  }

private:
  [[noreturn]] void rejectCount(size_t got) const {
    throw makeError(
        Diagnostic::ParameterCount,
        {{"name", function}, {"expected", std::to_string(nextFake)}, {"got", std::to_string(got)}});
  }
  /// The argument read last is of a wrong kind.
  [[noreturn]] void reject(const char *expected, const std::string &got) const {
    size_t index = nextFake ? nextFake - 1 : 0;
    throw makeError(Diagnostic::ArgumentAnnotation,
                    {{"function", function},
                     {"index", std::to_string(index)},
                     {"name", names && index < names->size() ? (*names)[index] : "?"},
                     {"expected", expected},
                     {"got", got}});
  }

  /// The next description, of a host function.
  const Fake &nextDescription() {
    size_t count = fakes->size();
    if (nextFake++ >= count)
      rejectCount(count);
    return (*fakes)[nextFake - 1];
  }
  static const char *kind(const Fake &fake) {
    constexpr const char *kKinds[] = {"FakeTensor", "FakeScalar", "FakeStream", "FakePointer",
                                      "SymInt",     "FakeTuple",  "FakeNone",   "FakeLayout"};
    return kKinds[fake.index()];
  }

  /// `Described`: by what of a host function.
  template <typename T, typename... Described> T takeOne(const char *expected) {
    if (fakes) {
      const Fake &fake = nextDescription();
      if (!(std::holds_alternative<Described>(fake) || ...))
        reject(expected, kind(fake));
    }
    return std::get<T>(arguments.at(next++));
  }

  template <typename T, typename Field> void takeField(T &value, Field T::*field, const T *like) {
    value.*field = take<Field>(like ? &(like->*field) : nullptr);
  }
  template <typename... T>
  std::tuple<T...> takeTuple(const std::tuple<T...> *like, std::tuple<T...> *) {
    return takeParts<T...>(like, std::index_sequence_for<T...>());
  }
  template <typename... T, size_t... I>
  std::tuple<T...> takeParts(const std::tuple<T...> *like, std::index_sequence<I...>) {
    return std::tuple<T...>{
        take<T>(like ? &std::get<I>(*like) : nullptr)...}; // in order, in braces
  }
  template <typename T, size_t N, size_t... I>
  std::array<T, N> takeArray(const std::array<T, N> *like, std::index_sequence<I...>) {
    return std::array<T, N>{take<T>(like ? &(*like)[I] : nullptr)...};
  }
  template <typename T> std::optional<T> takeOptional(const std::optional<T> *like) {
    if (like)
      return *like ? std::optional<T>(take<T>(&**like)) : std::nullopt;
    if (fakes && nextFake < fakes->size() && std::holds_alternative<FakeNone>((*fakes)[nextFake])) {
      ++nextFake;
      return std::nullopt;
    }
    return take<T>(nullptr);
  }

  /// Of a host function: a description of one, or tuples for the shape and for the strides.
  layout::Layout takeLayout(const layout::Layout *like) {
    layout::IntTuple shape(0), stride(0);
    const FakeLayout *described =
        fakes && nextFake < fakes->size() ? std::get_if<FakeLayout>(&(*fakes)[nextFake]) : nullptr;
    if (described) {
      ++nextFake;
      shape = takeDescribed(described->shape);
      stride = takeDescribed(described->stride);
    } else {
      shape = like ? takeLike(like->shape()) : takeIntegers();
      stride = like ? takeLike(like->stride()) : takeIntegers();
    }
    auto layout = layout::Layout::make(shape, stride);
    if (!layout)
      reject("strides nested as the shape is", stride.str());
    return *layout;
  }

  layout::IntTuple takeLike(const layout::IntTuple &like) {
    if (like.isLeaf()) {
      if (like.leaf().isStatic())
        return like;
      layout::Int value = toInt(std::get<Scalar>(arguments.at(next++)));
      return like.leaf().isStep() ? layout::Int::along(like.leaf().path(), value) : value;
    }
    std::vector<layout::IntTuple> modes;
    for (const layout::IntTuple &mode : like.modes())
      modes.push_back(takeLike(mode));
    return layout::IntTuple(std::move(modes));
  }
  layout::IntTuple takeIntegers() {
    const Fake &fake = nextDescription();
    if (const auto *tuple = std::get_if<FakeTuple>(&fake))
      return takeDescribed(*tuple);
    // A number is a tuple without nesting.
    if (!std::holds_alternative<FakeScalar>(fake) && !std::holds_alternative<SymInt>(fake))
      reject("a tuple of integers", kind(fake));
    return toInt(std::get<Scalar>(arguments.at(next++)));
  }
  layout::IntTuple takeDescribed(const FakeTuple &fake) {
    if (!fake.isTuple()) {
      const auto *number = std::get_if<int64_t>(&fake.leaf());
      return number ? layout::Int(*number) : toInt(std::get<Scalar>(arguments.at(next++)));
    }
    std::vector<layout::IntTuple> modes;
    for (const FakeTuple &mode : fake.modes())
      modes.push_back(takeDescribed(mode));
    return layout::IntTuple(std::move(modes));
  }

  const std::vector<Argument> &arguments;
  std::string function;
  const std::vector<std::string> *names = nullptr;
  const std::vector<Fake> *fakes = nullptr;
  size_t next = 0, nextFake = 0;
};

} // namespace fairlead::dsl::detail
#endif // FAIRLEAD_DSL_FIELDS_H_
