/// How Python calls what the C++ DSL exports: the forms of a call as JSON, which
/// fairlead/cute/_call_text.py reads.
#include <cmath>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Parameter.h"
#include "tvm/ffi/extra/json.h"

namespace json = tvm::ffi::json;

namespace fairlead::dsl {
namespace {

/// A leaf of the entry is 0; what must equal a constant {"=": value}; a tuple {"t": [...]}.
json::Value node(const FakeTuple &fake) {
  if (!fake.isTuple()) {
    if (const auto *number = std::get_if<int64_t>(&fake.leaf()))
      return json::Object{{"=", *number}};
    return 0;
  }
  json::Array modes;
  for (const FakeTuple &mode : fake.modes())
    modes.push_back(node(mode));
  return json::Object{{"t", modes}};
}

json::Value node(const Fake &fake) {
  if (const auto *tuple = std::get_if<FakeTuple>(&fake))
    return node(*tuple);
  if (const auto *layout = std::get_if<FakeLayout>(&fake))
    return json::Object{{"t", json::Array{node(layout->shape), node(layout->stride)}}};
  if (std::holds_alternative<FakeNone>(fake))
    return nullptr;
  return 0;
}

/// A list of the default, or an empty one.
json::Array listed(const Parameter::Default &value) {
  if (std::holds_alternative<std::nullptr_t>(value))
    return json::Array{nullptr};
  if (const auto *flag = std::get_if<bool>(&value))
    return json::Array{*flag};
  if (const auto *number = std::get_if<int64_t>(&value))
    return json::Array{*number};
  if (const auto *number = std::get_if<double>(&value); number && std::isfinite(*number))
    return json::Array{*number};
  return {};
}

bool isPassed(const Fake &fake) {
  const auto *stream = std::get_if<FakeStream>(&fake);
  return !stream || !stream->environment;
}

} // namespace

std::vector<std::pair<std::string, std::string>> callFacts(const std::vector<Parameter> &parameters,
                                                           const std::vector<Fake> &arguments) {
  if (parameters.size() != arguments.size())
    throw makeError(Diagnostic::ParameterCount, {{"name", "callFacts"},
                                                 {"expected", std::to_string(parameters.size())},
                                                 {"got", std::to_string(arguments.size())}});
  json::Array names, defaults, nodes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!isPassed(arguments[i]))
      continue;
    names.push_back(parameters[i].name);
    defaults.push_back(listed(parameters[i].value));
    nodes.push_back(node(arguments[i]));
  }
  auto positional = static_cast<int64_t>(names.size());
  json::Object call{
      {"defaults", defaults}, {"names", names}, {"nodes", nodes}, {"positional", positional}};
  return {{"call", json::Stringify(call)}};
}

} // namespace fairlead::dsl
