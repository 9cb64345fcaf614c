/// PTX text: the target and the kernels' parameters, read with the little grammar that they need.
#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>

#include "runtime/cuda/image/Readers.h"

namespace fairlead::cuda::image {
namespace {

constexpr uint64_t kMaxParamBytes = 1 << 20; // far above any driver's limit

bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Part of a name, a directive or a number.
bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '%' || c == '.';
}

class Tokens {
public:
  explicit Tokens(std::string_view text) : text(text) {}

  /// The next token without taking it: a word, a single character, or "" at the end.
  std::string_view peek() {
    skipBlank();
    if (text.empty())
      return text;
    size_t length = 0;
    if (text[0] == '"') {
      size_t end = text.find('"', 1);
      length = end == std::string_view::npos ? text.size() : end + 1;
    }
    while (length < text.size() && isWord(text[length]) && text[0] != '"')
      ++length;
    return text.substr(0, std::max<size_t>(length, 1));
  }

  std::string_view next() {
    std::string_view token = peek();
    text.remove_prefix(token.size());
    return token;
  }

  bool accept(std::string_view token) {
    if (peek() != token)
      return false;
    next();
    return true;
  }

  std::optional<uint64_t> number() {
    std::string_view token = next();
    uint64_t value = 0;
    auto [end, failure] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (failure != std::errc() || end != token.data() + token.size())
      return std::nullopt;
    return value;
  }

private:
  void skipBlank() {
    while (!text.empty()) {
      size_t length = 0;
      if (isSpace(text[0]))
        length = 1;
      else if (text.substr(0, 2) == "//")
        length = text.find('\n');
      else if (text.substr(0, 2) == "/*")
        length = std::min(text.find("*/", 2), text.size() - 2) + 2;
      else
        return;
      text.remove_prefix(std::min(length, text.size()));
    }
  }

  std::string_view text;
};

/// Bytes of a fundamental type such as ".f16x2"; 0 for anything else.
uint32_t sizeOfType(std::string_view type) {
  if (type.size() < 3 || type[0] != '.')
    return 0;
  if (type == ".bf16")
    return 2;
  if (type == ".texref" || type == ".samplerref" || type == ".surfref")
    return 8;
  if (std::string_view("busf").find(type[1]) == std::string_view::npos)
    return 0;
  std::string_view bits = type.substr(2);
  return bits == "8"                       ? 1
         : bits == "16"                    ? 2
         : bits == "32" || bits == "16x2"  ? 4
         : bits == "64"                    ? 8
         : bits == "128" && type[1] == 'b' ? 16
                                           : 0;
}

/// `.param [.align n] .type [.ptr [.space] [.align n]] name [ [n] ]`; nothing when it is not that.
std::optional<ImageParam> readParam(Tokens &tokens, uint64_t &end) {
  if (!tokens.accept(".param"))
    return std::nullopt;
  uint64_t alignment = 0, count = 1;
  if (tokens.accept(".align")) {
    std::optional<uint64_t> value = tokens.number();
    if (!value)
      return std::nullopt;
    alignment = *value;
  }
  uint32_t element = sizeOfType(tokens.next());
  if (tokens.accept(".ptr"))
    while (tokens.peek().substr(0, 1) == ".")
      if (tokens.next() == ".align" && !tokens.number())
        return std::nullopt;
  tokens.next(); // the name
  if (tokens.accept("[")) {
    std::optional<uint64_t> value = tokens.number();
    if (!value || !tokens.accept("]"))
      return std::nullopt;
    count = *value;
  }
  alignment = std::max<uint64_t>(alignment, element);
  if (!element || (alignment & (alignment - 1)) || alignment > kMaxParamBytes ||
      count > kMaxParamBytes / element)
    return std::nullopt;
  uint64_t offset = (end + alignment - 1) & ~(alignment - 1);
  end = offset + count * element;
  if (end > kMaxParamBytes)
    return std::nullopt;
  return ImageParam{uint32_t(offset), uint32_t(count * element)};
}

/// `name [ ( params ) ] [directives]`, up to the body or the semicolon.
void readEntry(Tokens &tokens, ImageKernel &kernel) {
  kernel.name = tokens.next();
  kernel.paramsKnown = true;
  uint64_t end = 0;
  if (tokens.accept("(") && !tokens.accept(")"))
    do {
      std::optional<ImageParam> param = readParam(tokens, end);
      if (!param || (tokens.peek() != "," && tokens.peek() != ")")) {
        kernel.paramsKnown = false;
        kernel.params.clear();
        return;
      }
      kernel.params.push_back(*param);
    } while (tokens.next() == ",");
  while (!tokens.peek().empty() && tokens.peek() != "{" && tokens.peek() != ";") {
    std::string_view directive = tokens.next();
    if (directive != ".maxntid" && directive != ".reqntid")
      continue;
    uint64_t threads = 1;
    do {
      threads = std::min<uint64_t>(threads * tokens.number().value_or(0), INT32_MAX);
    } while (tokens.accept(","));
    if (threads)
      kernel.maxThreads = int(threads);
  }
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text.substr(0, 16))
    result += c >= ' ' && c <= '~' ? c : '?';
  return result + "\"";
}

} // namespace

Result<void> readPtx(std::string_view text, ImagePart &part) {
  part.kind = ImageKind::Ptx;
  Tokens tokens(text.substr(0, text.find('\0')));
  if (!tokens.accept(".version"))
    return Failed{"the image is neither a CUBIN (ELF), a fatbin nor PTX; it begins with " +
                  quoted(text)};
  std::unordered_set<std::string> names;
  int depth = 0;
  while (!tokens.peek().empty()) {
    std::string_view token = tokens.next();
    if (token == ".target" && part.arch.empty()) {
      std::string_view target = tokens.next();
      if (target.substr(0, 3) != "sm_")
        return Failed{"the PTX is for the target " + quoted(target) + ", expected sm_<number>"};
      part.arch = "compute_" + std::string(target.substr(3));
    } else if (token == ".entry") {
      ImageKernel kernel;
      readEntry(tokens, kernel);
      if (tokens.peek() != ";" && names.insert(kernel.name).second) // else a declaration
        part.kernels.push_back(std::move(kernel));
      if (tokens.peek().empty())
        return Failed{"the PTX is cut off: it ends inside .entry " +
                      quoted(part.kernels.back().name)};
    } else if (token == "{") {
      ++depth;
    } else if (token == "}") {
      --depth;
    }
  }
  if (depth > 0)
    return Failed{"the PTX is cut off: it ends inside braces"};
  if (part.arch.empty())
    return Failed{"the PTX has no .target"};
  return {};
}

} // namespace fairlead::cuda::image
