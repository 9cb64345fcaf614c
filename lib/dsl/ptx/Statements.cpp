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

/// Drops a label at the beginning of the text, and returns it; empty if there is none.
StringRef consumeLabel(StringRef &text) {
  const StringRef name = text.take_while(
      [](char letter) { return llvm::isAlnum(letter) || letter == '_' || letter == '$'; });
  const StringRef rest = text.drop_front(name.size()).ltrim();
  if (name.empty() || !rest.starts_with(":") || rest.starts_with("::"))
    return StringRef();
  text = rest.drop_front().ltrim();
  return name;
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
    // The text is emitted once: its labels need no number.
    if (assembly.consume_front("${:uid}"))
      continue;
    if (assembly.starts_with("$$"))
      assembly = assembly.drop_front();
    plain += assembly.front();
    assembly = assembly.drop_front();
  }
  return plain;
}

std::vector<Statement> statementsOf(StringRef text) {
  std::vector<Statement> statements;
  int depth = 0;
  for (StringRef part : llvm::split(text, ';')) {
    part = part.trim(" ");
    while (true) {
      if (part.starts_with("{") || part.starts_with("}")) {
        depth += part.front() == '{' ? 1 : -1;
        part = part.drop_front().ltrim();
      } else if (StringRef label = consumeLabel(part); !label.empty()) {
        statements.emplace_back().name = ":";
        statements.back().operands = {label};
      } else {
        break;
      }
    }
    if (part.empty())
      continue;
    statements.push_back(statementOf(part));
    statements.back().isInBraces = depth > 0;
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
