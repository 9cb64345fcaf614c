/// Products and sums of kernels -> fused multiply-adds, the same ones for every target and
/// optimisation level. LLVM and ptxas would choose depending on the surrounding code, so both are
/// prevented from choosing.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "lower/common/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// True except for halves: CPUs compute them as floats, and a float's fused multiply-add rounded to
/// a half is not always equal to a half's.
bool isFusable(Type type) {
  Type element = getElementTypeOrSelf(type);
  return (element.isF32() || element.isF64()) && LLVM::isCompatibleType(type);
}

class Fuser {
public:
  explicit Fuser(MLIRContext *context) : b(context) {}

  void fuse(Operation *op) {
    if (auto sum = dyn_cast<arith::AddFOp>(op))
      fuseSum(sum);
    else if (auto difference = dyn_cast<arith::SubFOp>(op))
      fuseDifference(difference);
  }

  /// Erases products without uses.
  void eraseDead() {
    for (Operation *product : products)
      if (product->use_empty())
        product->erase();
  }

private:
  static arith::MulFOp productOf(Value value) { return value.getDefiningOp<arith::MulFOp>(); }

  void fuseSum(arith::AddFOp sum) {
    if (!isFusable(sum.getType()))
      return;
    if (auto product = productOf(sum.getLhs()))
      replace(sum, product, product.getLhs(), sum.getRhs());
    else if (auto product = productOf(sum.getRhs()))
      replace(sum, product, product.getLhs(), sum.getLhs());
  }

  void fuseDifference(arith::SubFOp difference) {
    if (!isFusable(difference.getType()))
      return;
    if (auto product = productOf(difference.getLhs()))
      replace(difference, product, product.getLhs(), minus(difference, difference.getRhs()));
    else if (auto product = productOf(difference.getRhs()))
      replace(difference, product, minus(difference, product.getLhs()), difference.getLhs());
  }

  Value minus(Operation *user, Value value) {
    b.setInsertionPoint(user);
    return LLVM::FNegOp::create(b, user->getLoc(), value);
  }

  void replace(Operation *op, arith::MulFOp product, Value factor, Value addend) {
    b.setInsertionPoint(op);
    Value fused = LLVM::FMAOp::create(b, op->getLoc(), op->getResult(0).getType(), factor,
                                      product.getRhs(), addend);
    op->getResult(0).replaceAllUsesWith(fused);
    op->erase();
    products.insert(product);
  }

  OpBuilder b;
  llvm::SetVector<Operation *> products;
};

} // namespace

void fuseMultiplyAdds(gpu::GPUModuleOp kernels) {
  Fuser fuser(kernels.getContext());
  kernels.walk([&](Operation *op) { fuser.fuse(op); });
  fuser.eraseDead();
}

} // namespace fairlead::lower
