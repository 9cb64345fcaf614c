/// What both kinds of target do with host code: lower it to the LLVM dialect and translate it.
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

#include "fairlead/Diagnostics.h"
#include "lower/CrashGuard.h"
#include "lower/FloatToInt.h"
#include "lower/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Collects MLIR's diagnostics of a stage for the error that it may end with.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          text += (text.empty() ? "" : "; ") + diagnostic.str();
          return success();
        }) {}
  [[noreturn]] void raise(const char *stage) const {
    throw makeError(fairlead::Diagnostic::CompileFailed, {{"stage", stage}, {"message", text}});
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace

void addHostToLLVM(OpPassManager &pm) {
  pm.addPass(createPrintCallsPass());
  pm.addPass(createAssertCallsPass());
  pm.addPass(createMathCallsPass());
  pm.addPass(createTripCountsPass());
  pm.addPass(createDirectOpsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void runPasses(Operation *root, void (*fill)(OpPassManager &), const char *stage) {
  DiagnosticCollector diagnostics(root->getContext());
  PassManager pm(root->getContext(), root->getName().getStringRef());
  // One verification of what the user's function traced to; the passes are ours, and verified in
  // the tests.
  pm.enableVerifier(false);
  fill(pm);
  bool done = false;
  guarded(
      stage, [&] { done = succeeded(pm.run(root)); },
      [&](llvm::raw_ostream &stream) { root->print(stream, OpPrintingFlags().assumeVerified()); });
  if (!done)
    diagnostics.raise(stage);
}

std::unique_ptr<llvm::Module> translate(Operation *root, llvm::LLVMContext &context,
                                        const char *name) {
  DiagnosticCollector diagnostics(root->getContext());
  std::unique_ptr<llvm::Module> module;
  constexpr char kStage[] = "translation to LLVM IR";
  guarded(
      kStage,
      [&] {
        saturateConversions(root);
        boundConversionsToHalf(root);
        module = translateModuleToLLVMIR(root, context, name);
      },
      [&](llvm::raw_ostream &stream) { root->print(stream, OpPrintingFlags().assumeVerified()); });
  if (!module)
    diagnostics.raise(kStage);
  return module;
}

} // namespace fairlead::lower
