/// Rewrites operations that are the same in the LLVM dialect one by one. A dialect conversion would
/// take ten times as long for each, and they are most of a long kernel.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

} // namespace fairlead::lower
