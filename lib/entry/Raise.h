/// Emits the report of a failed check.
#ifndef FAIRLEAD_LIB_ENTRY_RAISE_H_
#define FAIRLEAD_LIB_ENTRY_RAISE_H_

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "fairlead/Diagnostics.h"

namespace fairlead::entry {

/// Calls FairleadRaise. `context` is null or the call's FairleadCallContext; `expected` and `got`
/// are i64 or null, which is 0.
void emitRaise(llvm::Module &module, llvm::IRBuilder<> &b, llvm::Value *context, Diagnostic id,
               DiagnosticArgs args, llvm::Value *expected, llvm::Value *got);

/// A FairleadFailure: kind and message with the places known now filled in.
llvm::Constant *failureConstant(llvm::Module &module, llvm::Constant *kind,
                                llvm::Constant *message);

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_RAISE_H_
