#include "fairlead/Signature.h"

namespace fairlead {
namespace {

/// `n0`, `256`, or a product such as `2*n0*n1`.
std::string extentStr(const Extent &extent, const std::vector<Symbol> &symbols) {
  if (extent.isStatic())
    return std::to_string(extent.coefficient);
  std::string text = extent.coefficient == 1 ? "" : std::to_string(extent.coefficient);
  for (int symbol : extent.symbols)
    text += (text.empty() ? "" : "*") + symbols[symbol].name;
  return text;
}

struct TypePrinter {
  const std::vector<Symbol> &symbols;

  std::string operator()(const TensorParam &tensor) const {
    std::string text = "Tensor([";
    for (size_t mode = 0; mode < tensor.shape.size(); ++mode)
      text += (mode ? ", " : "") + extentStr(tensor.shape[mode], symbols);
    return text + "], " + std::string(dtypeName(tensor.dtype)) + ")";
  }
  std::string operator()(const ScalarParam &scalar) const {
    return std::string(dtypeName(scalar.dtype));
  }
  std::string operator()(const StreamParam &) const { return "Stream"; }
};

} // namespace

bool Param::isArgument() const {
  const auto *stream = std::get_if<StreamParam>(&type);
  return !stream || !stream->environment;
}

std::string Signature::str() const {
  std::string text = name + "(";
  bool first = true;
  for (const Param &param : params) {
    if (!param.isArgument())
      continue;
    text += (first ? "" : ", ") + param.name + ": " + std::visit(TypePrinter{symbols}, param.type);
    first = false;
  }
  return text + ")";
}

int Signature::numArguments() const {
  int count = 0;
  for (const Param &param : params)
    count += param.isArgument();
  return count;
}

} // namespace fairlead
