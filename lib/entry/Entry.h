/// Generates the host code through which every caller enters a function: it checks the arguments
/// against the signature and calls the host program.
#ifndef FAIRLEAD_LIB_ENTRY_ENTRY_H_
#define FAIRLEAD_LIB_ENTRY_ENTRY_H_

#include <string>

#include "llvm/IR/Module.h"

#include "fairlead/Signature.h"

namespace fairlead::entry {

struct EntryOptions {
  DLDeviceType deviceType; ///< kDLCPU or kDLCUDA: where the function's tensors must be
  std::string targets;     ///< for messages: "cuda:sm_90a"
  std::string doc = "";    ///< what `__tvm_ffi__doc_<name>` gives; empty: the signature
};

/// Adds `int32 __tvm_ffi_<symbol>(handle, args, num_args, result)`, a TVMFFISafeCallType, to the
/// module. `host` is `void(ptr FairleadCallContext, <per parameter: Tensor -> ptr to the first
/// element; Scalar -> its value; Stream, of either kind -> ptr>, <per symbol: i32 or i64 by its
/// width>)`. The code is straight-line loads and compares, and needs no optimisation; every failure
/// is a cold block that reports through FairleadRaise.
llvm::Function *emitEntry(llvm::Module &module, const Signature &signature, llvm::Function *host,
                          llvm::StringRef symbol, const EntryOptions &options);

/// Adds `__tvm_ffi_<symbol>` for a signature with dtype variables: calls the one of `instances`,
/// entries in the order of Signature::instance, that the dtypes of the call's tensors choose.
llvm::Function *emitDispatch(llvm::Module &module, const Signature &signature,
                             llvm::ArrayRef<llvm::Function *> instances, llvm::StringRef symbol);

/// Adds `__tvm_ffi__metadata_<symbol>` (JSON: the type schema, and Fairlead's own names, signature
/// and targets) and
/// `__tvm_ffi__doc_<symbol>` (the signature as text, or the doc).
void emitMetadata(llvm::Module &module, const Signature &signature, llvm::StringRef symbol,
                  const EntryOptions &options);

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_ENTRY_H_
