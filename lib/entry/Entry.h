/// Generates the host code through which every caller enters a function: it checks the arguments
/// against the signature and calls the host program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "llvm/IR/Module.h"

#include "fairlead/Signature.h"

namespace fairlead::entry {

struct EntryOptions {
  DLDeviceType deviceType; ///< kDLCPU or kDLCUDA: where the function's tensors must be
  std::string targets;     ///< for messages: "cuda:sm_90a"
  std::string doc = "";    ///< the text of `__tvm_ffi__doc_<name>`; empty: the signature
  /// More members of the metadata's "fairlead" object: name and JSON text.
  std::vector<std::pair<std::string, std::string>> facts = {};
  /// Tensors with elements have data. Programs in plain C may pass none that the function reads.
  bool requireData = true;
};

/// The type of a signature's host program, as emitEntry calls it.
llvm::FunctionType *hostType(llvm::LLVMContext &context, const Signature &signature);

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

/// The entries of one function for tensors on the CPU and on CUDA devices.
struct DeviceEntries {
  llvm::Function *cpu, *cuda;
};

/// Adds `__tvm_ffi_<symbol>` for a function with code for both: it calls the entry for the device
/// of the first tensor, or the one for `options.deviceType` without tensors. `options.targets`
/// names all targets.
llvm::Function *emitDeviceDispatch(llvm::Module &module, const Signature &signature,
                                   const DeviceEntries &entries, llvm::StringRef symbol,
                                   const EntryOptions &options);

/// A host program (see emitEntry) for processors that have a level of x86-64, 1 to 4.
struct LevelProgram {
  int level;
  llvm::Function *host;
};

/// Declares a host program that stands for the one of `programs` with the highest level that the
/// processor has, chosen at the first call; raises CpuLevel where it has none. `targets` names them
/// all. Entries call it; then bindLevelDispatch makes calls of the chosen one of these.
llvm::Function *emitLevelDispatch(llvm::Module &module, const Signature &signature,
                                  llvm::ArrayRef<LevelProgram> programs,
                                  const std::string &targets);
void bindLevelDispatch(llvm::Module &module);

/// Adds `__tvm_ffi__metadata_<symbol>` (JSON: the type schema, and Fairlead's own names, signature
/// and targets) and
/// `__tvm_ffi__doc_<symbol>` (the signature as text, or the doc).
void emitMetadata(llvm::Module &module, const Signature &signature, llvm::StringRef symbol,
                  const EntryOptions &options);

/// Adds `__xla_ffi_<symbol>`, through which XLA calls `__tvm_ffi_<symbol>` of the module, and the
/// constant `__fairlead_xla_<symbol>` (FairleadXlaFunction) behind it; nothing for a signature with
/// pointers. `deviceType`: kDLCPU, kDLCUDA, 0 where XLA has to tell.
void emitXlaHandler(llvm::Module &module, const Signature &signature, llvm::StringRef symbol,
                    int deviceType);

/// Adds `fairlead_register_torch`, int32(void), which registers the operators of torch that all
/// objects of a library describe, and the descriptions of the function's own, from the fact
/// "operator" (python/fairlead/torch/_op.py); nothing without that fact. Their calls enter through
/// `__tvm_ffi_<symbol>` of the module.
void emitTorchOperators(llvm::Module &module, llvm::StringRef symbol, const EntryOptions &options);

/// The metadata's JSON without the type schema, which only the open ABI has readers for.
std::string metadataText(const Signature &signature, const EntryOptions &options);

/// Turns `__tvm_ffi_<symbol>` of the module into the function behind the constant
/// `__fairlead_c_<symbol>` (FairleadCFunction), the plain C ABI. Requires a signature without
/// plainObstacle; use it without emitMetadata. `digest` ties the object to its header;
/// `deviceModule` is the FairleadCudaModule or null.
void emitPlainFunction(llvm::Module &module, const Signature &signature, llvm::StringRef symbol,
                       const EntryOptions &options, llvm::StringRef digest,
                       llvm::GlobalVariable *deviceModule);

} // namespace fairlead::entry
