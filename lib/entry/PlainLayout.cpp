#include "entry/PlainLayout.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <sstream>

namespace fairlead::entry {
namespace {

int bytes(int bits) { return bits / 8; }

int aligned(int offset, int size) { return (offset + size - 1) / size * size; }

/// True if a symbol occurs in a shape of the signature. Strides that name such a symbol are as wide
/// as other strides.
bool isInShape(const Signature &signature, int symbol) {
  for (const Param &param : signature.params)
    if (const auto *tensor = std::get_if<TensorParam>(&param.type))
      for (const Extent &extent : tensor->shape)
        if (std::find(extent.symbols.begin(), extent.symbols.end(), symbol) != extent.symbols.end())
          return true;
  return false;
}

/// Words that cannot be parameters' names in a C or C++ header, or that ours use.
constexpr char kKeywords[] =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
    "char16_t char32_t class compl concept const consteval constexpr constinit const_cast "
    "continue co_await co_return co_yield decltype default delete do double dynamic_cast else "
    "enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef "
    "typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq "
    "linux unix errno stdin stdout stderr NULL assert module result args ";

const std::set<std::string> &keywords() {
  static const auto *words = [] {
    std::istringstream text(kKeywords);
    return new std::set<std::string>(std::istream_iterator<std::string>(text), {});
  }();
  return *words;
}

} // namespace

PlainTensor::PlainTensor(const Signature &signature, const TensorParam &tensor, bool narrow) {
  auto widest = [&](const Extent &extent) {
    int bits = 32;
    for (int symbol : extent.symbols)
      bits = std::max(bits, signature.symbols[symbol].width);
    return bits;
  };
  bool fits = true;
  for (const Extent &extent : tensor.shape) {
    shapeSlot.push_back(extent.isStatic() ? -1 : numShapes++);
    shapeBits = std::max(shapeBits, widest(extent));
  }
  for (const Extent &stride : tensor.strides) {
    strideSlot.push_back(stride.isStatic() ? -1 : numStrides++);
    if (!stride.isStatic() &&
        (!stride.isSymbol() || widest(stride) > 32 || isInShape(signature, stride.symbols.front())))
      fits = false;
  }
  strideBits = (narrow || fits) && numStrides > 0 ? 32 : 64;
  constexpr int kPointerBytes = 8;
  shapeOffset = aligned(kPointerBytes, bytes(shapeBits));
  strideOffset = aligned(shapeOffset + numShapes * bytes(shapeBits), bytes(strideBits));
}

NarrowStrides::NarrowStrides(const std::vector<std::pair<std::string, std::string>> &facts) {
  for (const auto &[name, value] : facts)
    if (name == kNarrowStrides)
      list = value;
}

bool NarrowStrides::has(const std::string &param) const {
  return list.find('"' + param + '"') != std::string::npos;
}

namespace {

/// True if exported headers use the name themselves.
bool isOfHeader(std::string_view name) {
  if (name.starts_with("FairleadC"))
    return true;
  if (!name.ends_with("_t"))
    return false;
  name.remove_suffix(2);
  name.remove_prefix(name.starts_with('u') ? 1 : 0);
  if (!name.starts_with("int"))
    return false;
  name.remove_prefix(3);
  return name == "8" || name == "16" || name == "32" || name == "64";
}

/// A name that C and C++ take, and that none of `used` is, which it joins.
std::string plainName(const std::string &text, std::set<std::string> &used) {
  std::string name;
  for (unsigned char c : text)
    name += std::isalnum(c) && c < 128 ? static_cast<char>(c) : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name[0] == '_')
    name = "arg" + name;
  if (keywords().count(name) || isOfHeader(name))
    name += "_";
  while (!used.insert(name).second)
    name += "_";
  return name;
}

/// "[1][0]" -> "m1_0", ".pair[0]" -> "pair_0": the place of a part as a member's name.
std::string memberText(const std::string &place) {
  std::string text;
  for (char c : place)
    if (c != ']')
      text += c == '[' || c == '.' ? '_' : c;
  text.erase(0, 1);
  return place[0] == '[' ? "m" + text : text;
}

/// Bytes of a member, which are its alignment too.
int memberBytes(const Param &param) {
  const auto *scalar = std::get_if<ScalarParam>(&param.type);
  return scalar ? byteSize(scalar->dtype) : 8;
}

bool isIntTuple(const PlainArgument &argument) {
  return std::all_of(argument.members.begin(), argument.members.end(),
                     [](const PlainMember &member) {
                       const auto *scalar = std::get_if<ScalarParam>(&member.param->type);
                       return scalar && isInteger(scalar->dtype) &&
                              member.param->name.find('.') == std::string::npos;
                     });
}

} // namespace

std::vector<PlainArgument> plainArguments(const Signature &signature) {
  std::vector<PlainArgument> result;
  std::set<std::string> used, members;
  std::string root; // of the struct that may go on
  int end = 0;
  for (const Param &param : signature.params) {
    if (!param.isArgument())
      continue;
    size_t split = param.name.find_first_of("[.");
    if (split == std::string::npos || split == 0) {
      root.clear();
      result.push_back({plainName(param.name, used), false, false, {{&param, "", 0}}});
      continue;
    }
    if (std::string name = param.name.substr(0, split); name != root) {
      root = name;
      result.push_back({plainName(root, used), true, false, {}});
      members.clear();
      end = 0;
    }
    int offset = aligned(end, memberBytes(param));
    end = offset + memberBytes(param);
    result.back().members.push_back(
        {&param, plainName(memberText(param.name.substr(split)), members), offset});
  }
  for (PlainArgument &argument : result)
    argument.isIntTuple = argument.isStruct && isIntTuple(argument);
  return result;
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
