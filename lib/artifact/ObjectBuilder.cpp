#include "artifact/ObjectBuilder.h"

#include "dlpack/dlpack.h"
#include "dsl/Symbols.h"
#include "entry/Entry.h"
#include "lower/Lowering.h"
#include "lower/MachineCode.h"

namespace fairlead {

/// Fast selection moves bfloat values through library functions that not every libgcc has.
static bool usesBfloat(const llvm::Function &function) {
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block)
      for (const llvm::Use &operand : instruction.operands())
        if (operand->getType()->isBFloatTy())
          return true;
  return false;
}

void selectFast(llvm::Module &module) {
  // Kernels are where the time of a call goes; the code around them is selected fast.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute(lower::kKernelAttribute) &&
        !usesBfloat(function)) {
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
    }
}

std::string buildObject(llvm::Module &module, const ObjectContents &contents,
                        const std::string &symbol) {
  bool cuda = contents.target.kind == Target::Kind::Cuda;
  llvm::Function *host = module.getFunction(dsl::kHostSymbol);
  // Several objects may be linked into one library: only the exported names are global.
  host->setLinkage(llvm::GlobalValue::InternalLinkage);
  if (cuda)
    defineCudaModule(module, contents, symbol);
  entry::EntryOptions options{cuda ? kDLCUDA : kDLCPU, contents.target.str()};
  entry::emitEntry(module, contents.signature, host, symbol, options);
  entry::emitMetadata(module, contents.signature, symbol, options);
  selectFast(module);
  return lower::emitObject(module);
}

} // namespace fairlead
