#include "artifact/ObjectBuilder.h"

#include "dlpack/dlpack.h"
#include "dsl/Symbols.h"
#include "entry/Entry.h"
#include "lower/Lowering.h"
#include "lower/MachineCode.h"

namespace fairlead {

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
  // Kernels are where the time of a call goes; the code around them is selected fast.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute(lower::kKernelAttribute)) {
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
    }
  return lower::emitObject(module);
}

} // namespace fairlead
