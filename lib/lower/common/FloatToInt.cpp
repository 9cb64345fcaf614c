#include "lower/common/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Returns `element`, or a vector of it with the size of the vector `type`.
Type withElements(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

/// Creates a constant of an integer type, or a vector of it.
Value constantOf(OpBuilder &b, Location loc, Type type, int64_t number) {
  auto element = b.getIntegerAttr(getElementTypeOrSelf(type), number);
  auto shaped = dyn_cast<ShapedType>(type);
  return LLVM::ConstantOp::create(
      b, loc, type,
      shaped ? TypedAttr(DenseElementsAttr::get(shaped, Attribute(element))) : TypedAttr(element));
}

/// Clamps a value to the range of `width` bits.
Value clamp(OpBuilder &b, Location loc, Value value, unsigned width, bool isSigned) {
  Type type = value.getType();
  if (!isSigned)
    return LLVM::UMinOp::create(b, loc, value, constantOf(b, loc, type, (int64_t(1) << width) - 1));
  const int64_t end = int64_t(1) << (width - 1);
  value = LLVM::SMinOp::create(b, loc, value, constantOf(b, loc, type, end - 1));
  return LLVM::SMaxOp::create(b, loc, value, constantOf(b, loc, type, -end));
}

void saturate(Operation *conversion) {
  OpBuilder b(conversion);
  Location loc = conversion->getLoc();
  Value input = conversion->getOperand(0);
  if (getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth() < 32)
    input = LLVM::FPExtOp::create(b, loc, withElements(input.getType(), b.getF32Type()), input);
  Type type = conversion->getResult(0).getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  bool narrow = width > 1 && width < 16;
  Type resultType = narrow ? withElements(type, b.getIntegerType(16)) : type;
  auto name =
      b.getStringAttr(isa<LLVM::FPToSIOp>(conversion) ? "llvm.fptosi.sat" : "llvm.fptoui.sat");
  Value result =
      LLVM::CallIntrinsicOp::create(b, loc, resultType, name, ValueRange{input}).getResult(0);
  if (narrow)
    result = LLVM::TruncOp::create(b, loc, type,
                                   clamp(b, loc, result, width, isa<LLVM::FPToSIOp>(conversion)));
  conversion->getResult(0).replaceAllUsesWith(result);
  conversion->erase();
}

} // namespace

void saturateConversions(Operation *root) {
  SmallVector<Operation *> conversions;
  root->walk([&](Operation *op) {
    if (isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op))
      conversions.push_back(op);
  });
  for (Operation *conversion : conversions)
    saturate(conversion);
}

void boundConversionsToHalf(Operation *root) {
  // Rounds to infinity, like all larger numbers. It is odd, so that no low bits are known to be 0.
  constexpr int64_t kBeyond = 65535;
  root->walk([](Operation *op) {
    const bool isSigned = isa<LLVM::SIToFPOp>(op);
    if ((!isSigned && !isa<LLVM::UIToFPOp>(op)) ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF16())
      return;
    Value input = op->getOperand(0);
    Type type = input.getType();
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() <= 16)
      return;
    OpBuilder b(op);
    auto constant = [&](int64_t number) { return constantOf(b, op->getLoc(), type, number); };
    if (isSigned) {
      input = LLVM::SMinOp::create(b, op->getLoc(), input, constant(kBeyond));
      input = LLVM::SMaxOp::create(b, op->getLoc(), input, constant(-kBeyond));
    } else {
      input = LLVM::UMinOp::create(b, op->getLoc(), input, constant(kBeyond));
    }
    op->setOperand(0, input);
  });
}

} // namespace fairlead::lower
