/// Reading of short texts (signatures, launch expressions) with the place of a mistake marked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fairlead/Diagnostics.h"

namespace fairlead {

/// One line below the text that marks `column` (from 0) with a caret; line breaks in the text are
/// shown as spaces, and a long text is cut around the column.
std::string markColumn(std::string_view text, size_t column);

/// Tokens of a text, separated by blanks: names, integers,
/// `//`, `==`, and other single characters.
class TextScanner {
public:
  enum class Kind { End, Name, Integer, Mark };
  struct Token {
    Kind kind = Kind::End;
    std::string_view text;
    size_t column = 0;
    int64_t integer = 0; ///< of an Integer
  };

  /// Mistakes are raised as `diagnostic`, whose places are {what} and {problem}. The text must
  /// outlive the scanner. Throws for a text over 64 KiB.
  TextScanner(std::string_view text, Diagnostic diagnostic, std::string what);

  const Token &peek() const { return token; }
  Token take();
  /// Takes the next token when it is this mark or name.
  bool accept(std::string_view text);
  void expect(std::string_view text);
  /// Takes a name. `what` describes it in the error.
  Token expectName(const char *what);
  /// Takes an integer of at least `least`.
  int64_t expectInteger(const char *what, int64_t least);
  /// `expected X, but got` the next token.
  [[noreturn]] void failExpected(const std::string &expected) const;
  [[noreturn]] void fail(const std::string &problem, size_t column) const;
  /// The text between two columns.
  std::string_view slice(size_t from, size_t to) const { return source.substr(from, to - from); }
  /// The end of the last token taken.
  size_t end() const { return lastEnd; }

private:
  void advance();

  std::string_view source;
  Diagnostic diagnostic;
  std::string what;
  size_t position = 0, lastEnd = 0;
  Token token;
};

/// "a, b and c"; "nothing" for an empty list.
template <typename List> std::string joinWords(const List &words, const char *last = " and ") {
  std::string text;
  size_t index = 0;
  for (const auto &word : words) {
    text += index == 0 ? "" : index + 1 == words.size() ? last : ", ";
    text += word;
    ++index;
  }
  return text.empty() ? "nothing" : text;
}

} // namespace fairlead
