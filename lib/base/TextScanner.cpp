#include "base/TextScanner.h"

#include <algorithm>

namespace fairlead {
namespace {

constexpr size_t kMaxText = 64 * 1024;
/// Bytes of a marked text that are shown on either side of the mark.
constexpr size_t kShown = 100;

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

} // namespace

std::string markColumn(std::string_view text, size_t column) {
  column = std::min(column, text.size());
  size_t from = column > kShown ? column - kShown : 0;
  std::string shown(text.substr(from, column - from + kShown));
  for (char &c : shown)
    if (static_cast<unsigned char>(c) < ' ')
      c = ' ';
  // A caret stands under a character, not under a byte of one.
  std::string blanks;
  for (char c : shown.substr(0, column - from))
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      blanks += ' ';
  return "\n    " + shown + "\n    " + blanks + "^";
}

TextScanner::TextScanner(std::string_view text, Diagnostic diagnostic, std::string what)
    : source(text), diagnostic(diagnostic), what(std::move(what)) {
  if (source.size() > kMaxText)
    fail("expected a text of at most 65536 characters, but got " + std::to_string(source.size()),
         0);
  advance();
}

void TextScanner::fail(const std::string &problem, size_t column) const {
  throw makeError(diagnostic, {{"what", what}, {"problem", problem + markColumn(source, column)}});
}

void TextScanner::failExpected(const std::string &expected) const {
  std::string got = token.kind == Kind::End ? "the end" : "`" + std::string(token.text) + "`";
  fail("expected " + expected + ", but got " + got, token.column);
}

void TextScanner::advance() {
  while (position < source.size() && isBlank(source[position]))
    ++position;
  token = {Kind::End, {}, position, 0};
  if (position == source.size())
    return;
  size_t end = position + 1;
  if (startsName(source[position])) {
    token.kind = Kind::Name;
    while (end < source.size() && (startsName(source[end]) || isDigit(source[end])))
      ++end;
  } else if (isDigit(source[position])) {
    token.kind = Kind::Integer;
    while (end < source.size() && isDigit(source[end]))
      ++end;
    for (char c : source.substr(position, end - position))
      if (__builtin_mul_overflow(token.integer, 10, &token.integer) ||
          __builtin_add_overflow(token.integer, c - '0', &token.integer))
        fail("expected an integer of at most 64 bits", position);
  } else {
    token.kind = Kind::Mark;
    std::string_view two = source.substr(position, 2);
    if (two == "//" || two == "==")
      ++end;
    // A character of several bytes is one mark.
    while (end < source.size() && (static_cast<unsigned char>(source[end]) & 0xC0) == 0x80)
      ++end;
  }
  token.text = source.substr(position, end - position);
  position = end;
}

TextScanner::Token TextScanner::take() {
  Token result = token;
  lastEnd = result.column + result.text.size();
  advance();
  return result;
}

bool TextScanner::accept(std::string_view text) {
  if (token.kind == Kind::End || token.text != text)
    return false;
  take();
  return true;
}

void TextScanner::expect(std::string_view text) {
  if (!accept(text))
    failExpected("`" + std::string(text) + "`");
}

TextScanner::Token TextScanner::expectName(const char *what) {
  if (token.kind != Kind::Name)
    failExpected(what);
  return take();
}

int64_t TextScanner::expectInteger(const char *what, int64_t least) {
  if (token.kind != Kind::Integer || token.integer < least)
    failExpected(what);
  return take().integer;
}

} // namespace fairlead
