/// Arguments of functions, kernels and loops other than tensors, numbers and streams: structs,
/// tuples, arrays, optional parts, tuples of integers, layouts, atoms. Their traits split them into
/// parts.
#pragma once

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

namespace fairlead::dsl {

class ArgumentReader;

/// Flattens values of a parameter's type to arguments, and rebuilds them:
///
///     static void flatten(std::vector<Argument> &arguments, const T &value); // appends its parts
///     static T rebuild(ArgumentReader &reader, const T *like);               // takes as many, in
///     order
///
/// `like` is the value that a kernel is launched with or a loop is entered with; null for a
/// parameter of a host function, which only its description tells of. A type of your own needs no
/// more than a specialisation, or `kFields`:
///
///     struct Scaled {
///       Tensor data;
///       Scalar factor;
///       static constexpr auto kFields = std::make_tuple(&Scaled::data, &Scaled::factor);
///     };
template <typename T, typename = void> struct ArgumentTraits {
  static_assert(sizeof(T) == 0, "no type of a parameter: it has no ArgumentTraits");
};

template <typename T> void flatten(std::vector<Argument> &arguments, const T &value) {
  ArgumentTraits<T>::flatten(arguments, value);
}

/// Gives arguments back to parameters, in order.
class ArgumentReader {
public:
  /// For a kernel or a loop, whose parameters are like the values that it begins with.
  ArgumentReader(const std::vector<Argument> &arguments, std::string function)
      : arguments(arguments), function(std::move(function)) {}
  /// For a host function, whose parameters are as `fakes` describe.
  ArgumentReader(const std::vector<Argument> &arguments, std::string function,
                 const std::vector<std::string> &names, const std::vector<Fake> &fakes)
      : arguments(arguments), function(std::move(function)), names(&names), fakes(&fakes) {}

  template <typename T> T take(const T *like) { return ArgumentTraits<T>::rebuild(*this, like); }

  /// The next argument itself.
  template <typename T> T next() { return std::get<T>(arguments.at(nextArgument++)); }
  /// The next argument. A host function's argument must be described by one of these.
  template <typename T, typename... Described> T next(const char *expected) {
    if (fakes) {
      const Fake &fake = nextDescription();
      if (!(std::holds_alternative<Described>(fake) || ...))
        reject(expected, kind(fake));
    }
    return next<T>();
  }
  /// The next description, of a host function.
  const Fake &nextDescription() {
    size_t count = fakes->size();
    if (nextFake++ >= count)
      rejectCount(count);
    return (*fakes)[nextFake - 1];
  }
  /// Returns the next description if it is of this kind, or null.
  template <typename Described> const Described *nextIf() {
    const Described *found =
        fakes && nextFake < fakes->size() ? std::get_if<Described>(&(*fakes)[nextFake]) : nullptr;
    nextFake += found ? 1 : 0;
    return found;
  }

  /// The argument read last is of a wrong kind: throws fairlead::Error (TypeError).
  [[noreturn]] void reject(const char *expected, const std::string &got) const {
    size_t index = nextFake ? nextFake - 1 : 0;
    throw makeError(Diagnostic::ArgumentAnnotation,
                    {{"function", function},
                     {"index", std::to_string(index)},
                     {"name", names && index < names->size() ? (*names)[index] : "?"},
                     {"expected", expected},
                     {"got", got}});
  }
  static const char *kind(const Fake &fake) {
    constexpr const char *kKinds[] = {"FakeTensor", "FakeScalar", "FakeStream", "FakePointer",
                                      "SymInt",     "FakeTuple",  "FakeNone",   "FakeLayout"};
    return kKinds[fake.index()];
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

  const std::vector<Argument> &arguments;
  std::string function;
  const std::vector<std::string> *names = nullptr;
  const std::vector<Fake> *fakes = nullptr;
  size_t nextArgument = 0, nextFake = 0;
};

//===--- arguments and their traits -------------------------------------------------------------===

template <> struct ArgumentTraits<Tensor> {
  static void flatten(std::vector<Argument> &arguments, const Tensor &value) {
    arguments.emplace_back(value);
  }
  static Tensor rebuild(ArgumentReader &reader, const Tensor *) {
    return reader.next<Tensor, FakeTensor>("a tensor");
  }
};
template <> struct ArgumentTraits<Scalar> {
  static void flatten(std::vector<Argument> &arguments, const Scalar &value) {
    arguments.emplace_back(value);
  }
  static Scalar rebuild(ArgumentReader &reader, const Scalar *) {
    return reader.next<Scalar, FakeScalar, SymInt>("a number");
  }
};
template <> struct ArgumentTraits<Stream> {
  static void flatten(std::vector<Argument> &arguments, const Stream &value) {
    arguments.emplace_back(value);
  }
  static Stream rebuild(ArgumentReader &reader, const Stream *) {
    return reader.next<Stream, FakeStream>("a stream");
  }
};
/// A tensor of one element.
template <> struct ArgumentTraits<Pointer> {
  static void flatten(std::vector<Argument> &arguments, const Pointer &value) {
    arguments.emplace_back(value.tensor({Scalar(1)}, {Scalar(1)}));
  }
  static Pointer rebuild(ArgumentReader &reader, const Pointer *) {
    return Pointer(reader.next<Tensor, FakePointer>("a pointer"));
  }
};

//===--- values known while tracing -------------------------------------------------------------===

/// A value without any argument.
template <typename T> struct KnownArgument {
  static void flatten(std::vector<Argument> &, const T &) {}
  static T rebuild(ArgumentReader &reader, const T *like) {
    if (!like)
      reader.reject("what the body captures", "a value that is known while tracing");
    return *like;
  }
};
template <> struct ArgumentTraits<Swizzle> : KnownArgument<Swizzle> {};

//===--- integers and layouts -------------------------------------------------------------------===

/// The integers of a tuple that are known only when the program runs; of a step how many.
template <> struct ArgumentTraits<layout::IntTuple> {
  static void flatten(std::vector<Argument> &arguments, const layout::IntTuple &value) {
    for (const layout::Int &leaf : value.leaves())
      if (!leaf.isStatic())
        arguments.emplace_back(toScalar(leaf.steps()));
  }
  static layout::IntTuple rebuild(ArgumentReader &reader, const layout::IntTuple *like) {
    if (like)
      return takeLike(reader, *like);
    if (const auto *tuple = reader.nextIf<FakeTuple>())
      return takeDescribed(reader, *tuple);
    // A number is a tuple without nesting.
    return toInt(reader.next<Scalar, FakeScalar, SymInt>("a tuple of integers"));
  }
  static layout::IntTuple takeLike(ArgumentReader &reader, const layout::IntTuple &like) {
    if (like.isLeaf()) {
      if (like.leaf().isStatic())
        return like;
      layout::Int value = toInt(reader.next<Scalar>());
      return like.leaf().isStep() ? layout::Int::along(like.leaf().path(), value) : value;
    }
    std::vector<layout::IntTuple> modes;
    for (const layout::IntTuple &mode : like.modes())
      modes.push_back(takeLike(reader, mode));
    return layout::IntTuple(std::move(modes));
  }
  static layout::IntTuple takeDescribed(ArgumentReader &reader, const FakeTuple &fake) {
    if (!fake.isTuple()) {
      const auto *number = std::get_if<int64_t>(&fake.leaf());
      return number ? layout::Int(*number) : toInt(reader.next<Scalar>());
    }
    std::vector<layout::IntTuple> modes;
    for (const FakeTuple &mode : fake.modes())
      modes.push_back(takeDescribed(reader, mode));
    return layout::IntTuple(std::move(modes));
  }
};

/// Its shape, then its strides. Of a host function: a description of one, or of both tuples.
template <> struct ArgumentTraits<layout::Layout> {
  using Tuple = ArgumentTraits<layout::IntTuple>;
  static void flatten(std::vector<Argument> &arguments, const layout::Layout &value) {
    Tuple::flatten(arguments, value.shape());
    Tuple::flatten(arguments, value.stride());
  }
  static layout::Layout rebuild(ArgumentReader &reader, const layout::Layout *like) {
    layout::IntTuple shape(0), stride(0);
    if (const auto *described = reader.nextIf<FakeLayout>()) {
      shape = Tuple::takeDescribed(reader, described->shape);
      stride = Tuple::takeDescribed(reader, described->stride);
    } else {
      shape = Tuple::rebuild(reader, like ? &like->shape() : nullptr);
      stride = Tuple::rebuild(reader, like ? &like->stride() : nullptr);
    }
    auto layout = layout::Layout::make(shape, stride);
    if (!layout)
      reader.reject("strides nested as the shape is", stride.str());
    return *layout;
  }
};

//===--- structures -----------------------------------------------------------------------------===

template <typename T> struct ArgumentTraits<T, std::void_t<decltype(T::kFields)>> {
  static void flatten(std::vector<Argument> &arguments, const T &value) {
    std::apply([&](auto... field) { (dsl::flatten(arguments, value.*field), ...); }, T::kFields);
  }
  static T rebuild(ArgumentReader &reader, const T *like) {
    T value{};
    std::apply([&](auto... field) { (takeField(reader, value, field, like), ...); }, T::kFields);
    return value;
  }

private:
  template <typename Field>
  static void takeField(ArgumentReader &reader, T &value, Field T::*field, const T *like) {
    value.*field = reader.take<Field>(like ? &(like->*field) : nullptr);
  }
};

template <typename... T> struct ArgumentTraits<std::tuple<T...>> {
  using Tuple = std::tuple<T...>;
  static void flatten(std::vector<Argument> &arguments, const Tuple &value) {
    std::apply([&](const auto &...part) { (dsl::flatten(arguments, part), ...); }, value);
  }
  static Tuple rebuild(ArgumentReader &reader, const Tuple *like) {
    return takeParts(reader, like, std::index_sequence_for<T...>());
  }

private:
  template <size_t... I>
  static Tuple takeParts(ArgumentReader &reader, const Tuple *like, std::index_sequence<I...>) {
    return Tuple{reader.take<T>(like ? &std::get<I>(*like) : nullptr)...}; // in order, in braces
  }
};

template <typename T, size_t N> struct ArgumentTraits<std::array<T, N>> {
  static void flatten(std::vector<Argument> &arguments, const std::array<T, N> &value) {
    for (const T &part : value)
      dsl::flatten(arguments, part);
  }
  static std::array<T, N> rebuild(ArgumentReader &reader, const std::array<T, N> *like) {
    return takeParts(reader, like, std::make_index_sequence<N>());
  }

private:
  template <size_t... I>
  static std::array<T, N> takeParts(ArgumentReader &reader, const std::array<T, N> *like,
                                    std::index_sequence<I...>) {
    return std::array<T, N>{reader.take<T>(like ? &(*like)[I] : nullptr)...};
  }
};

/// For kernels and loops: the number of elements is known while tracing.
template <typename T> struct ArgumentTraits<std::vector<T>> {
  static void flatten(std::vector<Argument> &arguments, const std::vector<T> &value) {
    for (const T &part : value)
      dsl::flatten(arguments, part);
  }
  static std::vector<T> rebuild(ArgumentReader &reader, const std::vector<T> *like) {
    if (!like)
      reader.reject("a std::array, whose length is known", "std::vector");
    std::vector<T> value;
    for (const T &part : *like)
      value.push_back(reader.take<T>(&part));
    return value;
  }
};

template <typename T> struct ArgumentTraits<std::optional<T>> {
  static void flatten(std::vector<Argument> &arguments, const std::optional<T> &value) {
    if (value)
      dsl::flatten(arguments, *value);
  }
  static std::optional<T> rebuild(ArgumentReader &reader, const std::optional<T> *like) {
    if (like)
      return *like ? std::optional<T>(reader.take<T>(&**like)) : std::nullopt;
    if (reader.nextIf<FakeNone>())
      return std::nullopt;
    return reader.take<T>(nullptr);
  }
};

} // namespace fairlead::dsl
