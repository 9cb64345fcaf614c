/// Checks of arguments, and the symbols that they give values.
#pragma once

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

/// Checks tensors and binds symbols. All tensors pass one kind of check before the next begins, so
/// that a stride may depend on an extent of a later tensor.
class TensorChecks {
public:
  TensorChecks(EntryBuilder &entry, const EntryOptions &options);

  /// `cell` is a tensor of either form: its DLTensor, or a TypeError.
  void addTensor(int param, const ArgumentCell &cell);
  /// `cell` is the integer `name`, whose value is the symbol's.
  void addScalar(int symbol, const std::string &name, const ArgumentCell &cell);
  void checkAll();

  llvm::Value *dataPointer(int param) const { return tensors[param].data; }
  /// i64; after checkAll.
  llvm::Value *symbol(int index) const { return symbols.value(index); }
  /// The first tensor's device ordinal; null without tensors.
  llvm::Value *deviceId() const { return firstDeviceId; }

private:
  struct TensorState {
    const TensorParam *type = nullptr; ///< null: this parameter is no tensor
    int argument = 0;
    std::string name, site;
    llvm::Value *dl = nullptr, *data = nullptr;
    std::vector<llvm::Value *> shape, strides;
    int paired = -1;                ///< the mode along which elements may come in pairs; -1: none
    llvm::Value *inPairs = nullptr; ///< i1, if `paired` is a mode

    NamedValue place(const char *what, size_t mode) const;
  };

  /// The addresses (i64) of the first byte of a tensor's elements, and of the byte behind the last.
  struct Bytes {
    llvm::Value *begin, *end;
  };
  Bytes bytesOf(const TensorState &tensor);

  struct SymbolScalar {
    int symbol;
    llvm::Value *value;
    NamedValue place;
  };

  void checkHeader(TensorState &tensor);
  llvm::Value *inElements(const TensorState &tensor, llvm::Value *pairs);
  void checkDevice(TensorState &tensor);
  void checkShape(TensorState &tensor);
  void checkProducts(TensorState &tensor);
  void checkStrides(TensorState &tensor);
  void checkStride(TensorState &tensor, size_t mode, llvm::Value *actual);
  void checkAlignment(TensorState &tensor);
  void checkEqualities();
  void checkApart();
  void checkApart(const TensorState &tensor, const TensorState &other);
  llvm::Value *stridesOrRowMajor(TensorState &tensor);
  llvm::Value *isEmpty(const TensorState &tensor);
  llvm::Value *isUnused(const TensorState &tensor, size_t mode);

  EntryBuilder &e;
  const EntryOptions &options;
  std::vector<TensorState> tensors; ///< by parameter
  std::vector<SymbolScalar> scalars;
  SymbolTable symbols;
  llvm::Value *firstDeviceId = nullptr;
  std::string firstName;
};

/// The checks of arguments passed by value: scalars, pointers and streams.
class ValueChecks {
public:
  explicit ValueChecks(EntryBuilder &entry) : e(entry) {}

  void checkScalarType(DType dtype, const ArgumentCell &cell);
  void checkStreamType(const ArgumentCell &cell);
  void checkPointerType(const ArgumentCell &cell);
  /// The scalar as a double (floats) or i64 (others), after a check that it fits its type.
  llvm::Value *checkedScalar(DType dtype, const ArgumentCell &cell);
  /// A checked scalar in its own type; Boolean is i1. To be called in the block of the call: half
  /// types that live across blocks would be widened and narrowed by library functions.
  llvm::Value *narrow(DType dtype, llvm::Value *checked);
  /// The address, after a check that it is one, and aligned.
  llvm::Value *checkedPointer(const PointerParam &param, const ArgumentCell &cell);
  /// The stream's handle; None is the default stream, NULL.
  llvm::Value *stream(const ArgumentCell &cell);

private:
  llvm::Value *roundToTFloat32(llvm::Value *value);
  void checkType(const ArgumentCell &cell, int32_t first, llvm::ArrayRef<int32_t> others,
                 const char *expected);
  llvm::Value *asDouble(const ArgumentCell &cell);
  void checkRange(DType dtype, const ArgumentCell &cell);
  llvm::Value *checkedUnsigned(const ArgumentCell &cell);

  EntryBuilder &e;
};

} // namespace fairlead::entry
