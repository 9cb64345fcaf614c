/// Shared by the files that emit one entry.
#ifndef FAIRLEAD_LIB_ENTRY_ENTRYBUILDER_H_
#define FAIRLEAD_LIB_ENTRY_ENTRYBUILDER_H_

#include <string>
#include <vector>

#include "llvm/IR/IRBuilder.h"

#include "entry/Entry.h"
#include "fairlead/Diagnostics.h"

namespace fairlead::entry {

/// The function under construction, and how a check that fails leaves it.
class EntryBuilder {
public:
  EntryBuilder(llvm::Module &module, const Signature &signature, llvm::StringRef symbol);

  /// Goes on where `ok` holds; else raises the diagnostic and returns -1. `args` fill the places known now; {expected} and
  /// {got...} are filled when the check fails, from the two integers.
  void check(llvm::Value *ok, Diagnostic id, DiagnosticArgs args, llvm::Value *expected = nullptr, llvm::Value *got = nullptr);
  /// Raises unconditionally; the block ends.
  void fail(Diagnostic id, DiagnosticArgs args, llvm::Value *expected, llvm::Value *got);
  llvm::BasicBlock *block(const char *name);

  llvm::Value *load(llvm::Type *type, llvm::Value *base, int64_t offset);
  llvm::Value *i64(int64_t value) { return b.getInt64(value); }
  llvm::Value *widen(llvm::Value *value) { return b.CreateZExt(value, b.getInt64Ty()); }

  /// "on argument #1 when calling: `f(...)`"
  std::string site(int argument) const;

  const Signature &signature;
  llvm::Module &module;
  llvm::Function *function;
  llvm::IRBuilder<> b;
  llvm::MDNode *likely;
  llvm::Value *args, *numArgs;

private:
  llvm::Constant *failureSite(Diagnostic id, DiagnosticArgs args);
  std::string signatureText;
};

/// An argument's cell: its type index and payload.
struct ArgumentCell {
  int index = 0; ///< position among the arguments
  llvm::Value *type = nullptr;
  llvm::Value *payload = nullptr; ///< i64
};

/// Checks tensors and binds symbols.
class TensorChecks {
public:
  TensorChecks(EntryBuilder &entry, const EntryOptions &options);

  /// `cell` is a tensor of either form: its DLTensor, or a TypeError.
  void addTensor(int param, const ArgumentCell &cell);
  void checkAll();

  llvm::Value *dataPointer(int param) const { return tensors[param].data; }
  llvm::Value *symbol(int index) const { return symbols[index].value; }
  /// The first tensor's device ordinal; 0 without tensors.
  llvm::Value *deviceId() const { return firstDeviceId; }

private:
  struct TensorState {
    const TensorParam *type = nullptr;
    int argument = 0;
    std::string name;
    llvm::Value *dl = nullptr, *data = nullptr, *strides = nullptr;
    std::vector<llvm::Value *> shape;
  };
  struct SymbolState {
    llvm::Value *value = nullptr; // i64
    std::string place;
  };

  void checkHeader(TensorState &tensor);
  void checkDevice(TensorState &tensor);
  void checkShape(TensorState &tensor);
  void checkStrides(TensorState &tensor);
  void checkAlignment(TensorState &tensor);
  void checkEqualities();
  void bind(int symbol, llvm::Value *value, const std::string &place, int argument);
  void checkStride(TensorState &tensor, size_t mode, llvm::Value *actual);
  llvm::Value *stridesOrRowMajor(TensorState &tensor);
  llvm::Value *isEmpty(const TensorState &tensor);
  llvm::Value *product(const Extent &extent);
  static std::string place(const TensorState &tensor, const char *what, size_t mode);

  EntryBuilder &e;
  const EntryOptions &options;
  std::vector<TensorState> tensors; // by parameter; those of other kinds stay empty
  std::vector<SymbolState> symbols;
  llvm::Value *firstDeviceId = nullptr;
  std::string firstName;
};

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_ENTRYBUILDER_H_
