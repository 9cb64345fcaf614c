/// Math functions of kernels come from libdevice, cut down to those in use.
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Libdevice.h"
#include "lower/cuda/Ptx.h"

namespace fairlead::lower {

static std::vector<std::string> missingFunctions(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_") &&
        !function.use_empty())
      names.push_back(function.getName().str());
  return names;
}

void linkLibdevice(llvm::Module &module) {
  std::vector<std::string> names = missingFunctions(module);
  if (names.empty())
    return;
  std::string path = cuda::findLibdevice();
  if (path.empty())
    throw makeError(Diagnostic::MathLibraryMissing, {{"functions", llvm::join(names, ", ")}});
  auto fail = [&](const std::string &why) {
    throw makeError(Diagnostic::CompileFailed, {{"stage", "linking of " + path}, {"message", why}});
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    fail(buffer.getError().message());
  // Lazily: only the bodies that are linked are read.
  auto library = llvm::getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
  if (!library)
    fail(llvm::toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  bool failed = llvm::Linker::linkModules(
      module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &linked, const llvm::StringSet<> &symbols) {
        llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
          return !value.hasName() || !symbols.contains(value.getName());
        });
      });
  if (failed)
    fail("the linker rejected it");
}

} // namespace fairlead::lower
