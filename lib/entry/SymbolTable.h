/// The symbols of a signature while an entry is emitted: where each is bound, and its value.
#ifndef FAIRLEAD_LIB_ENTRY_SYMBOLTABLE_H_
#define FAIRLEAD_LIB_ENTRY_SYMBOLTABLE_H_

#include <functional>
#include <string>
#include <vector>

#include "entry/EntryBuilder.h"

namespace fairlead::entry {

/// An extent, a stride or an integer of one argument, as messages name it.
struct NamedValue {
  std::string name; ///< "a.shape[0]"
  int argument = 0;
};

class SymbolTable {
public:
  explicit SymbolTable(EntryBuilder &entry) : e(entry), symbols(entry.signature.symbols.size()) {}

  /// Adds an extent `value` that the symbol names in a shape. The first place checks range and
  /// divisibility and binds the symbol; every other place checks that the value is the same.
  void addExtent(int symbol, llvm::Value *value, const NamedValue &place) {
    bind(symbol, value, place, /*mayBeNegative=*/false);
  }
  /// Adds an integer argument in the same way. It may be negative unless a shape has the symbol
  /// too. Call this after all shapes.
  void addScalar(int symbol, llvm::Value *value, const NamedValue &place) {
    bind(symbol, value, place, /*mayBeNegative=*/true);
  }

  /// Adds a stride in the same way. It counts only where it is used: `emitUnused` yields an i1,
  /// true if the stride addresses nothing, so that producers may have left anything in it. A symbol
  /// without any used place gets 0 or a value that keeps its constraints.
  void addStride(int symbol, llvm::Value *value, const NamedValue &place,
                 std::function<llvm::Value *()> emitUnused);

  /// True if a shape or an argument binds the symbol.
  bool isBoundByShape(int symbol) const { return !symbols[symbol].binding.name.empty(); }
  /// The place that binds it.
  const NamedValue &boundBy(int symbol) const { return symbols[symbol].binding; }
  /// Returns an i64. Throws fairlead::Error (SymbolUnbound) if no place bound the symbol.
  llvm::Value *value(int symbol) const;
  /// Returns the value of an extent. Throws like value().
  llvm::Value *product(const Extent &extent);

private:
  void bind(int symbol, llvm::Value *value, const NamedValue &place, bool mayBeNegative);
  /// A stride that may have bound the symbol.
  struct Candidate {
    NamedValue place;
    std::function<llvm::Value *()> emitUnused;
  };
  struct State {
    llvm::Value *value = nullptr;
    NamedValue binding; ///< where a shape or an argument bound it; empty: bound by strides
    std::vector<Candidate> strides;
  };
  /// The bounds of a symbol's values.
  struct Range {
    int64_t least, most;
  };

  Range range(int symbol, bool isStride) const;
  llvm::Value *inRange(int symbol, Range range, llvm::Value *value);
  llvm::Value *divisible(int symbol, llvm::Value *value);
  void checkConstraints(int symbol, llvm::Value *value, const NamedValue &place, bool isStride);
  void checkSame(llvm::Value *value, llvm::Value *expected, const NamedValue &place,
                 const NamedValue &other);
  llvm::Value *reconcile(int symbol, llvm::Value *value, const NamedValue &place);

  EntryBuilder &e;
  std::vector<State> symbols;
};

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_SYMBOLTABLE_H_
