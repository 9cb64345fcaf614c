#include "foreign/Foreign.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "llvm/Demangle/Demangle.h"

namespace fairlead::kernels {
namespace {

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Returns the position of `word` in `text` from `begin` on, except inside another word.
size_t findWord(const std::string &text, const std::string &word, size_t begin = 0) {
  for (size_t at = text.find(word, begin); at != std::string::npos; at = text.find(word, at + 1)) {
    size_t end = at + word.size();
    if ((at == 0 || !isWordChar(text[at - 1])) && (end == text.size() || !isWordChar(text[end])))
      return at;
  }
  return std::string::npos;
}

/// The text with blanks for its comments.
std::string withoutComments(std::string text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*'))
      continue;
    bool isLine = text[i + 1] == '/';
    size_t end = text.find(isLine ? "\n" : "*/", i + 2);
    end = end == std::string::npos ? text.size() : end + (isLine ? 0 : 2);
    std::fill(text.begin() + i, text.begin() + end, ' ');
  }
  return text;
}

/// The parameters between the parenthesis at `open` and the one that closes it.
std::vector<std::string> splitParams(const std::string &text, size_t open) {
  std::vector<std::string> params(1);
  int depth = 0;
  for (size_t i = open + 1; i < text.size(); ++i) {
    char c = text[i];
    if (c == ')' && depth == 0)
      return params;
    depth += (c == '(' || c == '<' || c == '[') - (c == ')' || c == '>' || c == ']');
    if (c == ',' && depth == 0)
      params.emplace_back();
    else
      params.back() += c;
  }
  return {};
}

/// True if a parameter is a pointer to const: `const float *x`, `float const* __restrict__ x`. A
/// `const` among template arguments says nothing about the pointee: `Box<const int> *x`.
bool pointsToConst(const std::string &param) {
  size_t star = param.find('*');
  const std::string pointee = param.substr(0, std::min(param.find('<'), star));
  return star != std::string::npos && param.find('*', star + 1) == std::string::npos &&
         findWord(pointee, "const") != std::string::npos;
}

/// For each parameter, true if it points to const. Empty if that is unknown.
using Constness = std::optional<std::vector<bool>>;

Constness constness(const std::vector<std::string> &params) {
  std::vector<bool> result;
  for (const std::string &param : params)
    result.push_back(pointsToConst(param));
  return result;
}

Constness fromSymbol(const std::string &symbol) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(symbol.c_str()) || !demangler.isFunction())
    return std::nullopt;
  char *text = demangler.getFunctionParameters(nullptr, nullptr);
  std::string params = text ? text : "";
  std::free(text);
  return params.empty() ? std::nullopt : constness(splitParams(params, 0));
}

/// Combines all declarations of a kernel: a parameter counts as const if each of them says so.
Constness fromText(const std::string &source, const std::string &kernel) {
  std::string text = withoutComments(source);
  Constness all;
  for (size_t at = findWord(text, kernel); at != std::string::npos;
       at = findWord(text, kernel, at + 1)) {
    size_t open = text.find_first_not_of(" \t\r\n", at + kernel.size());
    if (open == std::string::npos || text[open] != '(')
      continue;
    std::vector<bool> here = *constness(splitParams(text, open));
    if (all && all->size() != here.size())
      return std::nullopt;
    for (size_t i = 0; all && i < here.size(); ++i)
      here[i] = here[i] && (*all)[i];
    all = here;
  }
  return all;
}

Constness ofKernel(const std::string &symbol, const std::vector<std::string> &sources) {
  if (Constness constness = fromSymbol(symbol))
    return constness;
  return sources.size() == 1 && isCudaText(sources.front()) ? fromText(sources.front(), symbol)
                                                            : std::nullopt;
}

} // namespace

void noteWrites(Signature &signature, const entry::LaunchPlan &plan,
                const std::vector<std::string> &symbols, const std::vector<std::string> &sources) {
  for (const std::string &symbol : symbols) {
    Constness isConst = ofKernel(symbol, sources);
    bool isKnown = isConst && isConst->size() == plan.args.size();
    for (size_t i = 0; i < plan.args.size(); ++i) {
      if (!plan.args[i].isTensor)
        continue;
      auto &param = signature.params[plan.args[i].value.index].type;
      MemoryAccess &access = std::get<TensorParam>(param).access;
      if (isKnown && (*isConst)[i])
        access.read = true;
      else if (!access.written) // unless the signature says `out` or `inout`
        access.escapes = true;
    }
  }
}

} // namespace fairlead::kernels
