/// Inline PTX as text: statements, the words of their names, operands.
#ifndef FAIRLEAD_LIB_DSL_PTX_STATEMENTS_H_
#define FAIRLEAD_LIB_DSL_PTX_STATEMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace fairlead::dsl::ptx {

/// The parts of an instruction's name after its first, and operands.
using Words = llvm::ArrayRef<llvm::StringRef>;
using Operands = llvm::ArrayRef<llvm::StringRef>;

/// `@!p ld.global.b32 x, [a];`, a declaration, whose name is ".reg", or a label `x:`, whose name is
/// ":" and whose operand is x.
struct Statement {
  llvm::StringRef guard; ///< "p"; empty without a predicate
  bool guardIsNegated = false;
  llvm::StringRef name; ///< "ld"
  llvm::SmallVector<llvm::StringRef, 8> words, operands;
  bool isInBraces = false;
};

/// The statements of `text`, which refer to it. Braces of scopes are dropped: names of scopes
/// differ in programs that assemble.
std::vector<Statement> statementsOf(llvm::StringRef text);
/// The text without comments, with one blank for each run of white space, and "$" for LLVM's "$$".
std::string plainText(llvm::StringRef assembly);
/// Splits at commas outside of braces and brackets.
llvm::SmallVector<llvm::StringRef, 8> operandsOf(llvm::StringRef text);

/// The place of a word among the words of `list`, which blanks separate; -1 if it has none.
int placeIn(const char *list, llvm::StringRef word);
/// Returns the enumerator whose number is the place of a word in a list.
template <typename Enum> std::optional<Enum> enumIn(const char *list, llvm::StringRef word) {
  const int place = placeIn(list, word);
  return place < 0 ? std::nullopt : std::optional(static_cast<Enum>(place));
}
/// True if one of the words is `word`.
bool has(Words words, llvm::StringRef word);

} // namespace fairlead::dsl::ptx
#endif // FAIRLEAD_LIB_DSL_PTX_STATEMENTS_H_
