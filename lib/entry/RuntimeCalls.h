/// Calls of the runtime's functions in LLVM IR.
#ifndef FAIRLEAD_LIB_ENTRY_RUNTIMECALLS_H_
#define FAIRLEAD_LIB_ENTRY_RUNTIMECALLS_H_

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "runtime/RuntimeFunctions.h"

namespace fairlead::entry {

/// Returns the function's declaration in the module, which is added if missing.
llvm::FunctionCallee declareRuntime(llvm::Module &module, const RuntimeFunction &function);

/// Emits a call, and declares the function.
llvm::CallInst *callRuntime(llvm::IRBuilderBase &b, const RuntimeFunction &function,
                            llvm::ArrayRef<llvm::Value *> arguments);

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_RUNTIMECALLS_H_
