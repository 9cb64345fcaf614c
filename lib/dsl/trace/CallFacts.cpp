/// Describes to Python how functions that the C++ DSL exports are called.
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Parameter.h"
#include "signature/CallDescription.h"
#include "tvm/ffi/extra/json.h"

namespace fairlead::dsl {
namespace {

CallForm formOf(const FakeTuple &fake) {
  if (!fake.isTuple()) {
    if (const auto *number = std::get_if<int64_t>(&fake.leaf()))
      return {.kind = CallForm::Kind::Constant, .value = *number};
    return {};
  }
  CallForm form{.kind = CallForm::Kind::Tuple};
  for (const FakeTuple &mode : fake.modes())
    form.children.push_back(formOf(mode));
  return form;
}

CallForm formOf(const Fake &fake) {
  if (const auto *tuple = std::get_if<FakeTuple>(&fake))
    return formOf(*tuple);
  if (const auto *layout = std::get_if<FakeLayout>(&fake))
    return {.kind = CallForm::Kind::Tuple,
            .children = {formOf(layout->shape), formOf(layout->stride)}};
  if (std::holds_alternative<FakeNone>(fake))
    return {.kind = CallForm::Kind::None};
  return {};
}

std::optional<tvm::ffi::Any> initialOf(const Parameter::Default &value) {
  return std::visit(
      [](const auto &given) -> std::optional<tvm::ffi::Any> {
        if constexpr (std::is_same_v<std::decay_t<decltype(given)>, std::monostate>)
          return std::nullopt;
        else
          return tvm::ffi::Any(given);
      },
      value);
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
  CallDescription call;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (isPassed(arguments[i]))
      call.parameters.push_back(
          {parameters[i].name, initialOf(parameters[i].value), formOf(arguments[i])});
  call.numPositional = call.parameters.size();
  // A string that contains JSON, like the type schema in the metadata.
  return {{"call", tvm::ffi::json::Stringify(tvm::ffi::String(call.text().value()))}};
}

} // namespace fairlead::dsl
