/// Lowers branches and loops to blocks with MLIR's own patterns, applied one after the other.
/// Unlike a dialect conversion, this never rolls back. A conversion records every operation that it
/// moves, which takes a sixth of the compile time of long kernels.
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Rewrite/PatternApplicator.h"

#include "lower/common/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Returns the operations with regions, outer before inner: the patterns expect regions of one
/// block.
SmallVector<Operation *> structured(Operation *root) {
  SmallVector<Operation *> found;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::SCFDialect>(op->getDialect()) && op->getNumRegions() > 0)
      found.push_back(op);
  });
  return found;
}

struct BranchesPass : PassWrapper<BranchesPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BranchesPass)
  StringRef getArgument() const final { return "fairlead-branches"; }
  StringRef getDescription() const final { return "Structured control flow to branches"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<cf::ControlFlowDialect>();
  }
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    PatternApplicator applicator(frozen);
    applicator.applyDefaultCostModel();
    PatternRewriter rewriter(&getContext());
    // Some patterns create loops; the next iteration lowers them.
    for (auto ops = structured(getOperation()); !ops.empty(); ops = structured(getOperation()))
      for (Operation *op : ops) {
        rewriter.setInsertionPoint(op);
        if (failed(applicator.matchAndRewrite(op, rewriter))) {
          op->emitError("no branches for it");
          return signalPassFailure();
        }
      }
  }
};

} // namespace

std::unique_ptr<Pass> createBranchesPass() { return std::make_unique<BranchesPass>(); }

} // namespace fairlead::lower
