/// JSON text to values.
#include "tvm/ffi/extra/json.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "tvm/ffi/error.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

/// Values deeper than this are refused, before the stack runs out.
constexpr int kMaxDepth = 4096;

/// One text being read. The functions return whether they succeeded; the first failure stays in
/// `message`.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  bool parse(Any &result) {
    if (!parseValue(result))
      return false;
    skipSpace();
    return at == text.size() || fail("Extra data", at);
  }

  std::string message;

private:
  bool fail(const char *what, size_t where) {
    size_t line = 1, lineBegin = 0;
    for (size_t i = 0; i < where; ++i)
      if (text[i] == '\n') {
        ++line;
        lineBegin = i + 1;
      }
    message = what;
    message += ": line " + std::to_string(line);
    message += " column " + std::to_string(where - lineBegin + 1);
    message += " (char " + std::to_string(where);
    message += ')';
    return false;
  }

  /// The character here, or NUL at the end (a NUL in the text is no part of JSON either).
  char peek() const { return at < text.size() ? text[at] : '\0'; }
  void skipSpace() {
    while (at < text.size() &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
      ++at;
  }
  bool take(std::string_view word) {
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }

  bool parseValue(Any &result) {
    skipSpace();
    switch (peek()) {
    case '[':
      return parseArray(result);
    case '{':
      return parseObject(result);
    case '"': {
      std::string value;
      if (!parseString(value))
        return false;
      result = String(value);
      return true;
    }
    default:
      return parseAtom(result);
    }
  }

  bool parseAtom(Any &result) {
    using Limits = std::numeric_limits<double>;
    if (take("true"))
      result = true;
    else if (take("false"))
      result = false;
    else if (take("null"))
      result = nullptr;
    else if (take("NaN"))
      result = Limits::quiet_NaN();
    else if (take("Infinity"))
      result = Limits::infinity();
    else if (take("-Infinity"))
      result = -Limits::infinity();
    else
      return parseNumber(result);
    return true;
  }

  size_t skipDigits() {
    size_t begin = at;
    while (peek() >= '0' && peek() <= '9')
      ++at;
    return at - begin;
  }

  bool parseNumber(Any &result) {
    size_t begin = at;
    bool isInteger = true;
    if (peek() == '-')
      ++at;
    size_t digits = at;
    if (peek() == '0')
      ++at;
    else if (skipDigits() == 0)
      return fail("Expecting value", begin);
    size_t digitsEnd = at;
    if (peek() == '.') {
      isInteger = false;
      ++at;
      if (skipDigits() == 0)
        return fail("Expecting value", begin);
    }
    size_t mantissaEnd = at;
    if (peek() == 'e' || peek() == 'E') {
      isInteger = false;
      ++at;
      if (peek() == '+' || peek() == '-')
        ++at;
      if (skipDigits() == 0)
        return fail("Expecting value", begin);
    }
    // Invalid if another character of a number follows.
    if (std::string_view(".eE+-").find(peek()) != std::string_view::npos)
      return fail("Expecting value", begin);
    const char *first = text.data() + begin, *last = text.data() + at;
    if (int64_t value; isInteger && std::from_chars(first, last, value).ec == std::errc()) {
      result = value;
      return true;
    }
    double value = 0;
    if (std::from_chars(first, last, value).ec != std::errc()) {
      if (!isTiny(digits, digitsEnd, mantissaEnd))
        return fail("Expecting value", begin);
      value = text[begin] == '-' ? -0.0 : 0.0;
    }
    result = value;
    return true;
  }

  /// True if a number that does not fit a double is too small, rather than too large.
  bool isTiny(size_t digits, size_t digitsEnd, size_t mantissaEnd) const {
    int64_t order = static_cast<int64_t>(digitsEnd - digits);
    if (text[digits] == '0') {
      order = 0;
      for (size_t i = digitsEnd + 1; i < mantissaEnd && text[i] == '0'; ++i)
        --order;
    }
    if (mantissaEnd == at)
      return order <= 0;
    size_t exponentBegin = mantissaEnd + 1;
    bool negative = text[exponentBegin] == '-';
    if (text[exponentBegin] == '+')
      ++exponentBegin;
    int64_t exponent = 0;
    if (std::from_chars(text.data() + exponentBegin, text.data() + at, exponent).ec != std::errc())
      return negative;
    return negative ? exponent <= -order : order <= 0 && exponent <= -order;
  }

  bool parseArray(Any &result) {
    if (++depth > kMaxDepth)
      return fail("Nested too deep", at);
    json::Array values;
    ++at;
    skipSpace();
    if (peek() == ']') {
      ++at;
    } else {
      for (;;) {
        Any value;
        if (!parseValue(value))
          return false;
        values.push_back(std::move(value));
        skipSpace();
        if (take("]"))
          break;
        if (!parseComma())
          return false;
      }
    }
    --depth;
    result = std::move(values);
    return true;
  }

  /// A comma and something after it.
  bool parseComma() {
    if (!take(","))
      return fail("Expecting ',' delimiter", at);
    skipSpace();
    return at < text.size() || fail("Syntax error near", at);
  }

  bool parseObject(Any &result) {
    if (++depth > kMaxDepth)
      return fail("Nested too deep", at);
    json::Object entries;
    ++at;
    skipSpace();
    if (peek() == '}') {
      ++at;
    } else {
      for (;;) {
        std::string key;
        Any value;
        if (peek() != '"')
          return fail("Expecting property name enclosed in double quotes", at);
        if (!parseString(key))
          return false;
        skipSpace();
        if (!take(":"))
          return fail("Expecting ':' delimiter", at);
        if (!parseValue(value))
          return false;
        entries.Set(Any(String(key)), value);
        skipSpace();
        if (take("}"))
          break;
        if (!parseComma())
          return false;
      }
    }
    --depth;
    result = std::move(entries);
    return true;
  }

  bool parseString(std::string &value) {
    size_t begin = at++;
    for (;;) {
      if (at >= text.size())
        return fail("Unterminated string starting at", begin);
      unsigned char c = static_cast<unsigned char>(text[at]);
      if (c == '"') {
        ++at;
        return true;
      }
      if (c < 0x20)
        return fail("Invalid control character at", at);
      ++at;
      if (c != '\\') {
        value += static_cast<char>(c);
        continue;
      }
      if (at >= text.size())
        return fail("Unterminated string starting at", begin);
      if (!parseEscape(value))
        return false;
    }
  }

  bool parseEscape(std::string &value) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    size_t escape = at;
    if (text[at] != 'u') {
      size_t index = kNames.find(text[at]);
      if (index == std::string_view::npos)
        return fail("Invalid \\escape", at);
      value += kMeanings[index];
      ++at;
      return true;
    }
    uint32_t unit;
    if (!parseUnit(unit))
      return false;
    if (unit >= 0xDC00 && unit < 0xE000)
      return fail("Invalid surrogate pair of \\uXXXX escapes", escape);
    if (unit >= 0xD800 && unit < 0xDC00) {
      if (text.substr(at, 2) != "\\u")
        return fail("Invalid surrogate pair of \\uXXXX escapes", escape);
      ++at;
      size_t second = at + 1;
      uint32_t low;
      if (!parseUnit(low, true))
        return false;
      if (low < 0xDC00 || low >= 0xE000)
        return fail("Invalid surrogate pair of \\uXXXX escapes", second);
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    appendUtf8(unit, value);
    return true;
  }

  /// Parses `uXXXX`, four hexadecimal digits. For the second escape of a pair, errors point at the
  /// digits.
  bool parseUnit(uint32_t &unit, bool isSecond = false) {
    std::string_view digits = text.substr(at + 1, 4);
    const char *end = digits.data() + digits.size();
    if (digits.size() != 4 || std::from_chars(digits.data(), end, unit, 16).ptr != end)
      return fail("Invalid \\uXXXX escape", isSecond ? at + 1 : at);
    at += 5;
    return true;
  }

  static void appendUtf8(uint32_t code, std::string &value) {
    auto tail = [&](int shift) { value += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      value += static_cast<char>(code);
    } else if (code < 0x800) {
      value += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      value += static_cast<char>(0xE0 | (code >> 12));
      tail(6), tail(0);
    } else {
      value += static_cast<char>(0xF0 | (code >> 18));
      tail(12), tail(6), tail(0);
    }
  }

  std::string_view text;
  size_t at = 0;
  int depth = 0;
};

} // namespace

json::Value json::Parse(const String &json_str, String *error_msg) {
  Parser parser(std::string_view(json_str.data(), json_str.size()));
  Any result;
  bool parsed = parser.parse(result);
  if (error_msg)
    *error_msg = String(parser.message);
  else if (!parsed)
    TVM_FFI_THROW(ValueError) << parser.message;
  return parsed ? result : Any();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi.json.Parse",
                              [](const String &text) { return json::Parse(text); });
}
