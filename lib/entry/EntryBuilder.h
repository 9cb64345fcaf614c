/// Emits the control flow of one entry: a hot path that falls through, and cold blocks behind it.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"

#include "entry/Entry.h"
#include "fairlead/Diagnostics.h"

namespace fairlead::entry {

/// An argument's cell: its type index and payload.
struct ArgumentCell {
  int index = 0; ///< position among the arguments
  llvm::Value *type = nullptr;
  llvm::Value *payload = nullptr; ///< i64
};

/// The two i64 of a failure that fill {expected} and {got...}; null is 0.
struct FailureValues {
  llvm::Value *expected = nullptr, *got = nullptr;
};

/// The function under construction, and how a check that fails leaves it.
class EntryBuilder {
public:
  EntryBuilder(llvm::Module &module, const Signature &signature, llvm::StringRef symbol);

  /// Continues if `ok` holds; otherwise raises the diagnostic and returns -1. `args` fill the
  /// places known now. `values` computes the others in the cold block.
  void check(llvm::Value *ok, Diagnostic id, DiagnosticArgs args,
             llvm::function_ref<FailureValues()> values);
  /// Continues if `ok` holds; otherwise runs the code of `otherwise`, off the hot path. Unless that
  /// fails, it joins the hot path again.
  void checkElse(llvm::Value *ok, llvm::function_ref<void()> otherwise);
  /// A checkElse that chooses a value: `hot` if `ok` holds, otherwise the result of `otherwise`.
  llvm::Value *checkElse(llvm::Value *ok, llvm::Value *hot,
                         llvm::function_ref<llvm::Value *()> otherwise);
  /// Raises the diagnostic and returns -1; the block ends.
  void fail(Diagnostic id, DiagnosticArgs args, FailureValues values);
  /// To be called once, at the end: puts the cold blocks behind the hot ones, and writes the texts.
  void finish();

  llvm::Value *load(llvm::Type *type, llvm::Value *base, int64_t offset);
  llvm::Value *i64(int64_t value) { return b.getInt64(value); }
  llvm::Value *equal(llvm::Value *value, int64_t constant);
  llvm::Value *zeroExtend(llvm::Value *value) { return b.CreateZExt(value, b.getInt64Ty()); }
  llvm::Value *signExtend(llvm::Value *value) { return b.CreateSExt(value, b.getInt64Ty()); }
  /// Stack memory that lives as long as the call.
  llvm::Value *stackSlot(llvm::Type *type);

  /// "on argument #1 when calling: `f(...)`"
  std::string site(int argument) const;

  const Signature &signature;
  llvm::Module &module;
  llvm::Function *function;
  llvm::IRBuilder<> b;
  llvm::Value *args, *numArgs;

private:
  llvm::BasicBlock *block(const char *name);
  llvm::Constant *failureSite(Diagnostic id, DiagnosticArgs args);
  size_t place(llvm::StringRef value);
  void writeTexts();

  /// A FairleadFailure, and the offsets of its texts in `texts`.
  struct Site {
    llvm::GlobalVariable *failure;
    size_t kind, message;
  };

  llvm::MDNode *likely;
  std::string signatureText;
  std::string shared; ///< part of most messages: stored once, at the beginning of `texts`
  std::string texts;  ///< all of the entry, each with its NUL
  llvm::StringMap<size_t> places;
  std::vector<Site> sites;
  std::vector<llvm::BasicBlock *> coldBlocks;
  int coldDepth = 0;
};

} // namespace fairlead::entry
