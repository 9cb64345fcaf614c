/// Math operations that allow results of lower accuracy: uses the hardware's instructions, with
/// subnormal numbers treated as 0. libdevice's functions scale such numbers, with three additional
/// instructions each.
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "lower/nvidia/ops/AtomOps.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

constexpr float kLog2OfE = 1.44269504F, kLogOf2 = 0.693147181F;

class FastMath {
public:
  explicit FastMath(Operation *op) : b(op->getLoc(), op), x(op->getOperand(0)) {}

  Value exp2(Value of) { return call("llvm.nvvm.ex2.approx.ftz.f", of); }
  Value log2(Value of) { return call("llvm.nvvm.lg2.approx.ftz.f", of); }
  Value scaled(Value of, float by) {
    return LLVM::FMulOp::create(b, of,
                                LLVM::ConstantOp::create(b, of.getType(), b.getF32FloatAttr(by)));
  }

  ImplicitLocOpBuilder b;
  Value x;

private:
  Value call(StringRef intrinsic, Value of) {
    return LLVM::CallIntrinsicOp::create(b, of.getType(), b.getStringAttr(intrinsic),
                                         ValueRange{of})
        .getResult(0);
  }
};

Value replacement(Operation *op) {
  FastMath fast(op);
  if (isa<math::Exp2Op>(op))
    return fast.exp2(fast.x);
  if (isa<math::ExpOp>(op))
    return fast.exp2(fast.scaled(fast.x, kLog2OfE));
  if (isa<math::Log2Op>(op))
    return fast.log2(fast.x);
  if (isa<math::LogOp>(op))
    return fast.scaled(fast.log2(fast.x), kLogOf2);
  return {};
}

} // namespace

void useFastInstructions(Operation *device) {
  device->walk([](Operation *op) {
    auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
    if (!isa<math::Exp2Op, math::ExpOp, math::Log2Op, math::LogOp>(op) ||
        !op->getResult(0).getType().isF32() || !flags ||
        !arith::bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::afn))
      return;
    op->getResult(0).replaceAllUsesWith(replacement(op));
    op->erase();
  });
}

} // namespace fairlead::lower
