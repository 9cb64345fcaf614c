#include "dsl/ptx/Statements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace fairlead::dsl::ptx {
namespace {

/// Drops a comment at the beginning of the text.
bool consumeComment(StringRef &text) {
  const bool toLineEnd = text.starts_with("//");
  if (!toLineEnd && !text.starts_with("/*"))
    return false;
  const size_t end = toLineEnd ? text.find('\n') : text.find("*/", 2);
  text = end == StringRef::npos ? StringRef() : text.drop_front(end + (toLineEnd ? 1 : 2));
  return true;
}

Statement statementOf(StringRef text) {
  Statement statement;
  if (text.consume_front("@")) {
    statement.guardIsNegated = text.consume_front("!");
    std::tie(statement.guard, text) = text.split(' ');
  }
  auto [opcode, arguments] = text.split(' ');
  if (opcode.starts_with(".")) {
    statement.name = opcode;
    arguments.split(statement.words, ' ');
    return statement;
  }
  opcode.split(statement.words, '.');
  statement.name = statement.words.front();
  statement.words.erase(statement.words.begin());
  statement.operands = operandsOf(arguments);
  return statement;
}

} // namespace

std::string plainText(StringRef assembly) {
  std::string plain;
  while (!assembly.empty()) {
    if (consumeComment(assembly) || llvm::isSpace(assembly.front())) {
      assembly = assembly.ltrim();
      if (!plain.empty() && plain.back() != ' ')
        plain += ' ';
      continue;
    }
    if (assembly.starts_with("$$"))
      assembly = assembly.drop_front();
    plain += assembly.front();
    assembly = assembly.drop_front();
  }
  return plain;
}

std::vector<Statement> statementsOf(StringRef text) {
  std::vector<Statement> statements;
  for (StringRef part : llvm::split(text, ';')) {
    part = part.trim(" ");
    while (part.starts_with("{") || part.starts_with("}"))
      part = part.drop_front().ltrim();
    if (!part.empty())
      statements.push_back(statementOf(part));
  }
  return statements;
}

llvm::SmallVector<StringRef, 8> operandsOf(StringRef text) {
  llvm::SmallVector<StringRef, 8> operands;
  int depth = 0;
  size_t start = 0;
  for (auto [index, letter] : llvm::enumerate(text)) {
    depth += (letter == '{' || letter == '[') - (letter == '}' || letter == ']');
    if (letter == ',' && depth == 0) {
      operands.push_back(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  if (!text.trim().empty())
    operands.push_back(text.substr(start).trim());
  return operands;
}

int placeIn(const char *list, StringRef word) {
  StringRef rest = list;
  for (int place = 0; !rest.empty(); ++place) {
    auto [first, others] = rest.split(' ');
    if (first == word)
      return place;
    rest = others;
  }
  return -1;
}

bool has(Words words, StringRef word) { return llvm::is_contained(words, word); }

} // namespace fairlead::dsl::ptx
