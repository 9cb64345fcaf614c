/// Rewrites operations that are the same in the LLVM dialect one by one. A dialect conversion would
/// take ten times as long for each, and they are most of a long kernel.
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/TypeSwitch.h"

#include "lower/common/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Rewrites simple operations; leaves others to the general conversion.
class DirectRewriter {
public:
  explicit DirectRewriter(MLIRContext *context) : b(context) {}

  void rewrite(Operation *op) {
    if (op->getNumResults() != 1 || !LLVM::isCompatibleType(op->getResult(0).getType()) ||
        !llvm::all_of(op->getOperandTypes(), LLVM::isCompatibleType))
      return;
    b.setInsertionPoint(op);
    Value result = replacement(op);
    if (!result)
      return;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

private:
  Value replacement(Operation *op) {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([&](arith::ConstantOp o) {
          return LLVM::ConstantOp::create(b, o.getLoc(), o.getType(), o.getValue());
        })
        .Case([&](arith::AddFOp o) { return strict<LLVM::FAddOp>(o); })
        .Case([&](arith::SubFOp o) { return strict<LLVM::FSubOp>(o); })
        .Case([&](arith::MulFOp o) { return strict<LLVM::FMulOp>(o); })
        .Case([&](arith::DivFOp o) { return strict<LLVM::FDivOp>(o); })
        .Case([&](arith::MaximumFOp o) { return strict<LLVM::MaximumOp>(o); })
        .Case([&](arith::MinimumFOp o) { return strict<LLVM::MinimumOp>(o); })
        .Case([&](arith::AddIOp o) { return wrapping<LLVM::AddOp>(o); })
        .Case([&](arith::SubIOp o) { return wrapping<LLVM::SubOp>(o); })
        .Case([&](arith::MulIOp o) { return wrapping<LLVM::MulOp>(o); })
        .Case([&](arith::ShLIOp o) { return wrapping<LLVM::ShlOp>(o); })
        .Case([&](arith::AndIOp o) { return plain<LLVM::AndOp>(o); })
        .Case([&](arith::OrIOp o) { return plain<LLVM::OrOp>(o); })
        .Case([&](arith::XOrIOp o) { return plain<LLVM::XOrOp>(o); })
        .Case([&](arith::ExtSIOp o) { return cast<LLVM::SExtOp>(o); })
        .Case([&](arith::CmpIOp o) {
          return LLVM::ICmpOp::create(b, o.getLoc(),
                                      static_cast<LLVM::ICmpPredicate>(o.getPredicate()),
                                      o.getLhs(), o.getRhs());
        })
        .Default([](Operation *) { return Value(); });
  }

  template <typename To, typename From> Value strict(From op) {
    if (op.getFastmath() != arith::FastMathFlags::none)
      return {};
    return plain<To>(op);
  }
  template <typename To, typename From> Value wrapping(From op) {
    if (op.getOverflowFlags() != arith::IntegerOverflowFlags::none)
      return {};
    return plain<To>(op);
  }
  template <typename To, typename From> Value plain(From op) {
    return To::create(b, op.getLoc(), op.getLhs(), op.getRhs());
  }
  template <typename To, typename From> Value cast(From op) {
    return To::create(b, op.getLoc(), op.getType(), op.getIn());
  }

  OpBuilder b;
};

struct DirectOpsPass : PassWrapper<DirectOpsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DirectOpsPass)
  StringRef getArgument() const final { return "fairlead-direct-ops"; }
  StringRef getDescription() const final {
    return "Rewrite arithmetic that is the same in the LLVM dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() final {
    DirectRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) { rewriter.rewrite(op); });
  }
};

} // namespace

std::unique_ptr<Pass> createDirectOpsPass() { return std::make_unique<DirectOpsPass>(); }

// Lowers branches and loops to blocks with MLIR's own patterns, applied one after the other.
// Unlike a dialect conversion, this never rolls back. A conversion records every operation that it
// moves, which takes a sixth of the compile time of long kernels.

namespace {

/// Returns the operations with regions, outer before inner: the patterns expect regions of one
/// block. Later ones of a block come first: a pattern moves all operations behind its own.
SmallVector<Operation *> structured(Operation *root) {
  SmallVector<Operation *> found;
  root->walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
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
