#include "artifact/ObjectBuilder.h"

#include "dlpack/dlpack.h"
#include "dsl/Symbols.h"
#include "entry/Entry.h"
#include "lower/MachineCode.h"

namespace fairlead {

std::string buildObject(llvm::Module &module, const ObjectContents &contents, const std::string &symbol) {
  bool cuda = contents.target.kind == Target::Kind::Cuda;
  llvm::Function *host = module.getFunction(dsl::kHostSymbol);
  // Several objects may be linked into one library: only the exported names are global.
  host->setLinkage(llvm::GlobalValue::InternalLinkage);
  if (cuda)
    defineCudaModule(module, contents, symbol);
  entry::EntryOptions options{cuda ? kDLCUDA : kDLCPU, contents.target.str()};
  entry::emitEntry(module, contents.signature, host, symbol, options);
  entry::emitMetadata(module, contents.signature, symbol, options);
  return lower::emitObject(module);
}

} // namespace fairlead
