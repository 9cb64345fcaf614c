#include "entry/PlainLayout.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace fairlead::entry {
namespace {

int bytes(int bits) { return bits / 8; }

int aligned(int offset, int size) { return (offset + size - 1) / size * size; }

/// Whether a symbol stands in a shape of the signature: then strides that name it are as wide as
/// other strides are.
bool isInShape(const Signature &signature, int symbol) {
  for (const Param &param : signature.params)
    if (const auto *tensor = std::get_if<TensorParam>(&param.type))
      for (const Extent &extent : tensor->shape)
        if (std::find(extent.symbols.begin(), extent.symbols.end(), symbol) != extent.symbols.end())
          return true;
  return false;
}

const std::set<std::string> &keywords() {
  static const auto *words = new std::set<std::string>{"alignas",
                                                       "alignof",
                                                       "and",
                                                       "and_eq",
                                                       "asm",
                                                       "auto",
                                                       "bitand",
                                                       "bitor",
                                                       "bool",
                                                       "break",
                                                       "case",
                                                       "catch",
                                                       "char",
                                                       "char8_t",
                                                       "char16_t",
                                                       "char32_t",
                                                       "class",
                                                       "compl",
                                                       "concept",
                                                       "const",
                                                       "consteval",
                                                       "constexpr",
                                                       "constinit",
                                                       "const_cast",
                                                       "continue",
                                                       "co_await",
                                                       "co_return",
                                                       "co_yield",
                                                       "decltype",
                                                       "default",
                                                       "delete",
                                                       "do",
                                                       "double",
                                                       "dynamic_cast",
                                                       "else",
                                                       "enum",
                                                       "explicit",
                                                       "export",
                                                       "extern",
                                                       "false",
                                                       "float",
                                                       "for",
                                                       "friend",
                                                       "goto",
                                                       "if",
                                                       "inline",
                                                       "int",
                                                       "long",
                                                       "mutable",
                                                       "namespace",
                                                       "new",
                                                       "noexcept",
                                                       "not",
                                                       "not_eq",
                                                       "nullptr",
                                                       "operator",
                                                       "or",
                                                       "or_eq",
                                                       "private",
                                                       "protected",
                                                       "public",
                                                       "register",
                                                       "reinterpret_cast",
                                                       "requires",
                                                       "restrict",
                                                       "return",
                                                       "short",
                                                       "signed",
                                                       "sizeof",
                                                       "static",
                                                       "static_assert",
                                                       "static_cast",
                                                       "struct",
                                                       "switch",
                                                       "template",
                                                       "this",
                                                       "thread_local",
                                                       "throw",
                                                       "true",
                                                       "try",
                                                       "typedef",
                                                       "typeid",
                                                       "typename",
                                                       "typeof",
                                                       "union",
                                                       "unsigned",
                                                       "using",
                                                       "virtual",
                                                       "void",
                                                       "volatile",
                                                       "wchar_t",
                                                       "while",
                                                       "xor",
                                                       "xor_eq",
                                                       "linux",
                                                       "unix",
                                                       "errno",
                                                       "stdin",
                                                       "stdout",
                                                       "stderr",
                                                       "NULL",
                                                       "assert",
                                                       "module",
                                                       "result",
                                                       "args"};
  return *words;
}

} // namespace

PlainTensor::PlainTensor(const Signature &signature, const TensorParam &tensor) {
  auto widest = [&](const Extent &extent) {
    int bits = 32;
    for (int symbol : extent.symbols)
      bits = std::max(bits, signature.symbols[symbol].width);
    return bits;
  };
  bool narrow = true;
  for (const Extent &extent : tensor.shape) {
    shapeSlot.push_back(extent.isStatic() ? -1 : numShapes++);
    shapeBits = std::max(shapeBits, widest(extent));
  }
  for (const Extent &stride : tensor.strides) {
    strideSlot.push_back(stride.isStatic() ? -1 : numStrides++);
    if (!stride.isStatic() &&
        (!stride.isSymbol() || widest(stride) > 32 || isInShape(signature, stride.symbols.front())))
      narrow = false;
  }
  strideBits = narrow && numStrides > 0 ? 32 : 64;
  constexpr int kPointerBytes = 8;
  shapeOffset = aligned(kPointerBytes, bytes(shapeBits));
  strideOffset = aligned(shapeOffset + numShapes * bytes(shapeBits), bytes(strideBits));
}

std::vector<std::string> plainNames(const Signature &signature) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const Param &param : signature.params) {
    std::string name;
    for (unsigned char c : param.name)
      name += std::isalnum(c) && c < 128 ? static_cast<char>(c) : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name[0] == '_')
      name = "arg" + name;
    if (keywords().count(name))
      name += "_";
    while (!used.insert(name).second)
      name += "_";
    names.push_back(name);
  }
  return names;
}

std::string plainObstacle(const Signature &signature) {
  for (const Param &param : signature.params) {
    int variable = -1;
    if (const auto *tensor = std::get_if<TensorParam>(&param.type))
      variable = tensor->dtypeVariable;
    else if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
      variable = scalar->dtypeVariable;
    if (variable >= 0)
      return "parameter `" + param.name + "` has the dtype " +
             signature.dtypeVariables[variable].name + ", which each call chooses";
  }
  return "";
}

} // namespace fairlead::entry
