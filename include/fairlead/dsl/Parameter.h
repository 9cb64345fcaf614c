/// Names and defaults of a host function's parameters, for calls by keyword.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/dsl/Fake.h"

namespace fairlead::dsl {

/// `"x"`, or with a default `{"factor", 2.0}`: a number, a Boolean, or nullptr for None. Defaults
/// are for calls of exported functions from Python (callFacts); C++ calls by place.
struct Parameter {
  using Default = std::variant<std::monostate, std::nullptr_t, bool, int64_t, double>;

  Parameter(const char *name) : name(name) {}
  Parameter(std::string name) : name(std::move(name)) {}
  Parameter(std::string name, std::nullptr_t none) : name(std::move(name)), value(none) {}
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Parameter(std::string name, T number) : name(std::move(name)) {
    if constexpr (std::is_same_v<T, bool>)
      value = number;
    else if constexpr (std::is_integral_v<T>)
      value = static_cast<int64_t>(number);
    else
      value = static_cast<double>(number);
  }

  std::string name;
  Default value = {}; ///< std::monostate: none
};

/// Facts about a call for Python, for Artifact::exportObject and exportC: names, finite defaults,
/// and the arguments that are tuples. A loaded function then takes keywords, and a tuple for each
/// FakeTuple and FakeLayout. `arguments` are the function's compiled arguments.
FAIRLEAD_API std::vector<std::pair<std::string, std::string>>
callFacts(const std::vector<Parameter> &parameters, const std::vector<Fake> &arguments);

} // namespace fairlead::dsl
