/// Arguments as the scalars that kernels, regions and loops take.
#include "fairlead/dsl/Carry.h"

#include "dsl/trace/ArgumentParts.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/CarriedTensor.h"

namespace fairlead::dsl {

Scalars partsOf(const Argument &argument) {
  if (const auto *tensor = std::get_if<Tensor>(&argument))
    return tensor->leaves();
  if (const auto *scalar = std::get_if<Scalar>(&argument))
    return {*scalar};
  throw makeError(Diagnostic::KernelArgument, {{"got", "Stream"}});
}

Argument withParts(const Argument &argument, const Scalars &parts) {
  const auto *tensor = std::get_if<Tensor>(&argument);
  return tensor ? Argument(tensor->withLeaves(parts)) : Argument(parts.front());
}

namespace detail {
namespace {

/// Describes the properties of an argument that a region may not change.
std::string structureOf(const Argument &argument) {
  const auto *tensor = std::get_if<Tensor>(&argument);
  return tensor ? dsl::structureOf(*tensor) : "number";
}

std::string structureOf(const std::vector<Argument> &arguments) {
  std::string text;
  for (const Argument &argument : arguments)
    text += (text.empty() ? "" : ", ") + structureOf(argument);
  return "(" + text + ")";
}

/// Reduces a tensor's alignment to its elements': all that holds on every path of the program.
Argument weakened(const Argument &argument) {
  const auto *tensor = std::get_if<Tensor>(&argument);
  if (!tensor || tensor->space() == AddressSpace::Register)
    return argument;
  return withAlignment(*tensor, std::max(1, byteSize(tensor->dtype())));
}

} // namespace

CarriedList carriedParts(const std::vector<Argument> &arguments) {
  CarriedList list;
  for (const Argument &argument : arguments)
    for (const Scalar &part : partsOf(argument))
      list.push_back({"part " + std::to_string(list.size()) + " of the carried value", part});
  return list;
}

Scalars endingParts(const std::vector<Argument> &beginning, const std::vector<Argument> &ending,
                    const char *construct) {
  if (structureOf(beginning) != structureOf(ending))
    throw makeError(Diagnostic::CarriedStructure, {{"name", "the carried value"},
                                                   {"construct", construct},
                                                   {"expected", structureOf(beginning)},
                                                   {"got", structureOf(ending)}});
  Scalars parts;
  for (const Argument &argument : ending)
    for (const Scalar &part : partsOf(argument))
      parts.push_back(part);
  return parts;
}

std::vector<Argument> argumentsOf(const std::vector<Argument> &beginning, const Scalars &parts) {
  std::vector<Argument> result;
  auto next = parts.begin();
  for (const Argument &argument : beginning) {
    auto count = static_cast<std::ptrdiff_t>(partsOf(argument).size());
    result.push_back(withParts(weakened(argument), Scalars(next, next + count)));
    next += count;
  }
  return result;
}

} // namespace detail
} // namespace fairlead::dsl
