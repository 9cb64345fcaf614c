/// Calls of the runtime's functions in LLVM IR.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "fairlead/Diagnostics.h"
#include "runtime/RuntimeFunctions.h"

namespace fairlead::entry {

/// Returns the function's declaration in the module, which is added if missing.
llvm::FunctionCallee declareRuntime(llvm::Module &module, const RuntimeFunction &function);

/// Emits a call, and declares the function.
llvm::CallInst *callRuntime(llvm::IRBuilderBase &b, const RuntimeFunction &function,
                            llvm::ArrayRef<llvm::Value *> arguments);

/// Calls FairleadRaise. `context` is null or the call's FairleadCallContext; `expected` and `got`
/// are i64 or null, which is 0.
void emitRaise(llvm::Module &module, llvm::IRBuilder<> &b, llvm::Value *context, Diagnostic id,
               DiagnosticArgs args, llvm::Value *expected, llvm::Value *got);

/// A FairleadFailure: kind and message with the places known now filled in.
llvm::Constant *failureConstant(llvm::Module &module, llvm::Constant *kind,
                                llvm::Constant *message);

} // namespace fairlead::entry
