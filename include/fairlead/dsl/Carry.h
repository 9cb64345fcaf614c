/// Run-time branches and loops whose variables are of any type that kernels take: tensors, layouts,
/// structs.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "fairlead/dsl/Arguments.h"
#include "fairlead/dsl/ControlFlow.h"

namespace fairlead::dsl {

namespace detail {

/// The scalars that arguments consist of, with the name of messages.
FAIRLEAD_API CarriedList carriedParts(const std::vector<Argument> &arguments);
/// The scalars of the arguments at the end of a region. Throws fairlead::Error (TypeError,
/// CarriedStructure) unless only run-time values differ from the arguments at its beginning.
FAIRLEAD_API Scalars endingParts(const std::vector<Argument> &beginning,
                                 const std::vector<Argument> &ending, const char *construct);
/// The arguments of a region's scalars.
FAIRLEAD_API std::vector<Argument> argumentsOf(const std::vector<Argument> &beginning,
                                               const Scalars &parts);

/// A value that a region takes and returns.
template <typename T> class CarriedValue {
public:
  CarriedValue(const T &value, const char *construct) : value(value), construct(construct) {
    flatten(arguments, value);
  }
  CarriedList parts() const { return carriedParts(arguments); }
  T inside(const Scalars &given) const {
    std::vector<Argument> values = argumentsOf(arguments, given);
    return ArgumentReader(values, construct).take<T>(&value);
  }
  Scalars ending(const T &end) const {
    std::vector<Argument> results;
    flatten(results, end);
    return endingParts(arguments, results, construct);
  }

private:
  const T &value;
  const char *construct;
  std::vector<Argument> arguments;
};

template <typename T> using IfCarried = std::enable_if_t<!std::is_same_v<T, CarriedList>, T>;

} // namespace detail

/// `condition ? then() : otherwise()`, where each may change what `value` holds.
template <typename T, typename Then, typename Otherwise>
detail::IfCarried<T> ifElse(const Scalar &condition, const T &value, const Then &then,
                            const Otherwise &otherwise) {
  detail::CarriedValue<T> carried(value, "if");
  return carried.inside(ifElse(
      condition, carried.parts(), std::function<Scalars()>([&] { return carried.ending(then()); }),
      std::function<Scalars()>([&] { return carried.ending(otherwise()); })));
}

/// `for i in range(start, stop, step): value = body(i, value)`; gives the last value.
template <typename T, typename Body>
detail::IfCarried<T> forLoop(const Scalar &start, const Scalar &stop, const Scalar &step,
                             const T &value, const Body &body,
                             const LoopAttributes &attributes = {}) {
  detail::CarriedValue<T> carried(value, "for");
  return carried.inside(forLoop(start, stop, step, carried.parts(),
                                std::function<Scalars(const Scalar &, const Scalars &)>(
                                    [&](const Scalar &i, const Scalars &parts) {
                                      return carried.ending(body(i, carried.inside(parts)));
                                    }),
                                attributes));
}

/// `while condition(value): value = body(value)`; gives the last value.
template <typename T, typename Condition, typename Body>
detail::IfCarried<T> whileLoop(const T &value, const Condition &condition, const Body &body) {
  detail::CarriedValue<T> carried(value, "while");
  return carried.inside(
      whileLoop(carried.parts(), std::function<Scalar(const Scalars &)>([&](const Scalars &parts) {
                  return Scalar(condition(carried.inside(parts)));
                }),
                std::function<Scalars(const Scalars &)>([&](const Scalars &parts) {
                  return carried.ending(body(carried.inside(parts)));
                })));
}

} // namespace fairlead::dsl
