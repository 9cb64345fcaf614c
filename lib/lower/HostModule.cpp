/// What both kinds of target do with host code: lower it to the LLVM dialect and translate it.
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

#include "fairlead/Diagnostics.h"
#include "lower/FloatToInt.h"
#include "lower/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// math operations that LLVM has no intrinsic for -> calls of libm. The others stay, to become
/// intrinsics, which vectorize.
struct MathCallsPass : PassWrapper<MathCallsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MathCallsPass)
  StringRef getArgument() const final { return "fairlead-math-calls"; }
  StringRef getDescription() const final {
    return "Call libm for math operations without an LLVM intrinsic";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<func::FuncDialect, arith::ArithDialect>();
  }
  void runOnOperation() final {
    bool needed = false;
    getOperation()->walk([&](math::ErfOp) {
      needed = true;
      return WalkResult::interrupt();
    });
    if (!needed)
      return;
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<math::ErfOp>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

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
  pm.addPass(std::make_unique<MathCallsPass>());
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
  if (failed(pm.run(root)))
    diagnostics.raise(stage);
}

std::unique_ptr<llvm::Module> translate(Operation *root, llvm::LLVMContext &context,
                                        const char *name) {
  DiagnosticCollector diagnostics(root->getContext());
  saturateConversions(root);
  boundConversionsToHalf(root);
  auto module = translateModuleToLLVMIR(root, context, name);
  if (!module)
    diagnostics.raise("translation to LLVM IR");
  return module;
}

} // namespace fairlead::lower
