/// Links the math functions that kernels use from libdevice.
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Libdevice.h"
#include "lower/nvidia/ptx/Ptx.h"

namespace fairlead::lower {

static std::vector<std::string> missingFunctions(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_") &&
        !function.use_empty())
      names.push_back(function.getName().str());
  return names;
}

/// Returns libdevice's bitcode; without one (or with FAIRLEAD_LIBDEVICE=builtin), the compiler's
/// own functions.
static std::unique_ptr<llvm::MemoryBuffer> mathLibrary(std::string &path) {
  path = cuda::findLibdevice();
  if (path.empty() || path == "builtin") {
    path = "the compiler's mathematical functions";
    return llvm::MemoryBuffer::getMemBuffer(ownMathFunctions(), path, false);
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    throw makeError(Diagnostic::CompileFailed,
                    {{"stage", "linking of " + path}, {"message", buffer.getError().message()}});
  return std::move(*buffer);
}

/// Replaces libdevice's square root by the instruction, which always rounds correctly. The function
/// does so only if a flag is set.
static void useSqrtInstruction(llvm::Module &module) {
  llvm::Function *function = module.getFunction("__nv_sqrtf");
  if (!function)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(function->users()))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(user)) {
      llvm::IRBuilder<> b(call);
      call->replaceAllUsesWith(
          b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, call->getArgOperand(0)));
      call->eraseFromParent();
    }
  if (function->use_empty())
    function->eraseFromParent();
}

void linkLibdevice(llvm::Module &module) {
  useSqrtInstruction(module);
  if (missingFunctions(module).empty())
    return;
  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mathLibrary(path);
  auto fail = [&](const std::string &why) {
    throw makeError(Diagnostic::CompileFailed, {{"stage", "linking of " + path}, {"message", why}});
  };
  // Load lazily: only linked bodies are read.
  auto library = llvm::getOwningLazyBitcodeModule(std::move(buffer), module.getContext());
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
  if (std::vector<std::string> missing = missingFunctions(module); !missing.empty())
    throw makeError(Diagnostic::MathLibraryMissing,
                    {{"functions", llvm::join(missing, ", ")}, {"library", path}});
  // Remove the library's target attributes: they would prevent inlining into kernels.
  for (llvm::Function &function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
}

} // namespace fairlead::lower
