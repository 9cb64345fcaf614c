/// The checks of tensor arguments.
#ifndef FAIRLEAD_LIB_ENTRY_TENSORCHECKS_H_
#define FAIRLEAD_LIB_ENTRY_TENSORCHECKS_H_

#include <string>
#include <vector>

#include "entry/EntryBuilder.h"
#include "entry/SymbolTable.h"

namespace fairlead::entry {

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

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_TENSORCHECKS_H_
