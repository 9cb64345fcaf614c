/// Products and sums of kernels -> fused multiply-adds, the same ones for every target and
/// optimisation level. LLVM and ptxas would choose depending on the surrounding code, so both are
/// prevented from choosing.
#include <vector>

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

bool isSum(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp>(op) && isFusable(op->getResult(0).getType());
}

/// The product of `value` if sums are all that uses it. Others round it: programs take the rounding
/// error of a product by a fused multiply-add, and then count on a sum to have the rounded one.
arith::MulFOp fusedProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && llvm::all_of(product->getUsers(), isSum) ? product : arith::MulFOp();
}

/// A sum or difference and the product in it.
struct Pair {
  Operation *sum;
  arith::MulFOp product;
  bool isLeft;
};

std::vector<Pair> findPairs(gpu::GPUModuleOp kernels) {
  std::vector<Pair> pairs;
  kernels.walk([&](Operation *op) {
    if (!isSum(op))
      return;
    if (arith::MulFOp left = fusedProduct(op->getOperand(0)))
      pairs.push_back({op, left, true});
    else if (arith::MulFOp right = fusedProduct(op->getOperand(1)))
      pairs.push_back({op, right, false});
  });
  return pairs;
}

void fuse(const Pair &pair, OpBuilder &b) {
  auto [sum, product, isLeft] = pair;
  b.setInsertionPoint(sum);
  const Location loc = sum->getLoc();
  Value factor = product.getLhs(), addend = sum->getOperand(isLeft ? 1 : 0);
  if (isa<arith::SubFOp>(sum)) {
    Value &negated = isLeft ? addend : factor;
    negated = LLVM::FNegOp::create(b, loc, negated);
  }
  Value fused =
      LLVM::FMAOp::create(b, loc, sum->getResult(0).getType(), factor, product.getRhs(), addend);
  sum->getResult(0).replaceAllUsesWith(fused);
  sum->erase();
}

} // namespace

void fuseMultiplyAdds(gpu::GPUModuleOp kernels) {
  OpBuilder b(kernels.getContext());
  const std::vector<Pair> pairs = findPairs(kernels);
  for (const Pair &pair : pairs)
    fuse(pair, b);
  llvm::SetVector<Operation *> products;
  for (const Pair &pair : pairs)
    products.insert(pair.product);
  for (Operation *product : products)
    if (product->use_empty())
      product->erase();
}

} // namespace fairlead::lower
