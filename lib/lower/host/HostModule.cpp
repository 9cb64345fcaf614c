/// Host code of both kinds of target: lowers it to the LLVM dialect and translates it.
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include "lower/common/Passes.h"
#include "lower/machine/CrashGuard.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Runs a step of the compiler on `root`. A failure is a bug of the compiler and throws a Crash
/// with MLIR's diagnostics, or with the cause of the end.
void step(const char *stage, Operation *root, llvm::function_ref<LogicalResult()> work) {
  std::string said;
  ScopedDiagnosticHandler handler(root->getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      said += (said.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  auto print = [&](llvm::raw_ostream &stream) {
    root->print(stream, OpPrintingFlags().assumeVerified());
  };
  bool done = false;
  guarded(stage, [&] { done = succeeded(work()); }, print);
  if (!done)
    throw crashWith(stage, said.empty() ? "it failed and gave no reason" : said, print);
}

} // namespace

void addHostToLLVM(OpPassManager &pm) {
  pm.addPass(createPrintCallsPass());
  pm.addPass(createAssertCallsPass());
  pm.addPass(createMathCallsPass());
  pm.addPass(createTripCountsPass());
  pm.addPass(createDirectOpsPass());
  pm.addPass(createBranchesPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void verifyTraced(Operation *root) {
  step("verification of the traced program", root, [&] { return verify(root); });
}

void runPasses(Operation *root, llvm::function_ref<void(OpPassManager &)> fill, const char *stage) {
  Kept<PassManager> pm(root->getContext(), root->getName().getStringRef());
  // The traced program has been verified; the translation verifies the result of the passes.
  pm->enableVerifier(false);
  fill(*pm);
  step(stage, root, [&] { return pm->run(root); });
}

std::unique_ptr<llvm::Module> translate(Operation *root, llvm::LLVMContext &context,
                                        const char *name) {
  std::unique_ptr<llvm::Module> module;
  step("translation to LLVM IR", root, [&] {
    saturateConversions(root);
    boundConversionsToHalf(root);
    module = translateModuleToLLVMIR(root, context, name, /*disableVerification=*/true);
    return success(module != nullptr);
  });
  constexpr char kVerification[] = "verification of LLVM IR";
  auto print = [&](llvm::raw_ostream &stream) { module->print(stream, nullptr); };
  std::string said;
  llvm::raw_string_ostream stream(said);
  bool broken = false;
  guarded(kVerification, [&] { broken = llvm::verifyModule(*module, &stream); }, print);
  if (broken)
    throw crashWith(kVerification, llvm::StringRef(said).rtrim().str(), print);
  return module;
}

} // namespace fairlead::lower
