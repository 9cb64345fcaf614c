/// Verifiers of conditions that the tables cannot express.
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::ir {
namespace {

/// A box has 1 to 5 coordinates.
LogicalResult verifyBox(Operation *op, ValueRange coordinates) {
  constexpr size_t kMostDimensions = 5;
  if (coordinates.empty() || coordinates.size() > kMostDimensions)
    return op->emitOpError("takes 1 to 5 coordinates, not ") << coordinates.size();
  return success();
}

LogicalResult verifyMatrices(Operation *op, size_t count) {
  if (count != 1 && count != 2 && count != 4)
    return op->emitOpError("moves 1, 2 or 4 matrices, a register each, not ") << count;
  return success();
}

int bitsOf(ProductType type) {
  switch (type) {
  case ProductType::F16:
  case ProductType::BF16:
    return 16;
  case ProductType::TF32:
  case ProductType::F32:
  case ProductType::S32:
    return 32;
  case ProductType::E4M3:
  case ProductType::E5M2:
  case ProductType::S8:
  case ProductType::U8:
    return 8;
  }
  llvm_unreachable("a type of elements");
}

bool isInteger(ProductType type) { return type == ProductType::S8 || type == ProductType::U8; }

} // namespace

//===--- checks --------------------------------------------------------------------------------===

LogicalResult IndexOp::verify() {
  if (getBounds().size() != 2 * getModes().size())
    return emitOpError("takes an index and an extent for each of its ")
           << getModes().size() << " modes, not " << getBounds().size() << " numbers";
  return success();
}

//===--- copies --------------------------------------------------------------------------------===

LogicalResult TensorLoadOp::verify() { return verifyBox(*this, getCoordinates()); }
LogicalResult TensorStoreOp::verify() { return verifyBox(*this, getCoordinates()); }
LogicalResult TensorReduceOp::verify() { return verifyBox(*this, getCoordinates()); }
LogicalResult TensorPrefetchOp::verify() { return verifyBox(*this, getCoordinates()); }

//===--- tensor maps ---------------------------------------------------------------------------===

LogicalResult MapReplaceOp::verify() {
  constexpr int32_t kMostDimensions = 5;
  const int32_t dimension = static_cast<int32_t>(getDimension());
  const int32_t first = getField() == MapField::Stride ? 1 : 0;
  const int32_t last = getField() == MapField::Address ? 0 : kMostDimensions - 1;
  if (dimension < first || dimension > last)
    return emitOpError("replaces the ") << stringifyMapField(getField()) << " of dimensions "
                                        << first << " to " << last << ", not " << dimension;
  return success();
}

LogicalResult TensorMapOp::verify() {
  constexpr size_t kMostDimensions = 5;
  constexpr int32_t kMostElements = 256, kMostSwizzle = 3;
  const size_t rank = getBox().size();
  if (rank < 1 || rank > kMostDimensions)
    return emitOpError("has a box of 1 to 5 dimensions, not ") << rank;
  if (getExtents().size() != rank || getStrides().size() != rank - 1)
    return emitOpError("takes ") << rank << " extents and " << rank - 1 << " strides, not "
                                 << getExtents().size() << " and " << getStrides().size();
  for (int32_t extent : getBox())
    if (extent < 1 || extent > kMostElements)
      return emitOpError("has a box of 1 to 256 elements along each dimension, not ") << extent;
  if (static_cast<int32_t>(getSwizzle()) < 0 || static_cast<int32_t>(getSwizzle()) > kMostSwizzle)
    return emitOpError("has a swizzle of 0 to 3 bits, not ") << getSwizzle();
  return success();
}

//===--- products ------------------------------------------------------------------------------===

LogicalResult MmaOp::verify() {
  if (getSums().empty())
    return emitOpError("has a register or more of D");
  if (getRegisters().size() < getSums().size() + 2)
    return emitOpError("takes registers of A, B and C, of which C has ")
           << getSums().size() << ", not " << getRegisters().size() << " in all";
  for (auto [c, d] : llvm::zip(getRegisters().take_back(getSums().size()), getSums()))
    if (c.getType() != d.getType())
      return emitOpError("takes registers of C of D's type, ")
             << d.getType() << ", not " << c.getType();
  return success();
}

LogicalResult LoadMatrixOp::verify() { return verifyMatrices(*this, getRegisters().size()); }
LogicalResult StoreMatrixOp::verify() { return verifyMatrices(*this, getRegisters().size()); }

int WarpgroupMmaOp::getK() {
  constexpr int kBits = 256;
  return kBits / bitsOf(getAType());
}

bool WarpgroupMmaOp::hasTransposedForms() { return bitsOf(getAType()) == 16; }

LogicalResult WarpgroupMmaOp::verify() {
  constexpr int32_t kStep = 8, kMost = 256;
  constexpr size_t kRegistersOfA = 4;
  const int32_t n = static_cast<int32_t>(getN());
  if (n < kStep || n > kMost || n % kStep)
    return emitOpError("has an extent N of 8 to 256, a multiple of 8, not ") << n;
  if (bitsOf(getAType()) != bitsOf(getBType()) || isInteger(getAType()) != isInteger(getBType()))
    return emitOpError("multiplies elements of one width, all integers or none, not ")
           << stringifyProductType(getAType()) << " and " << stringifyProductType(getBType());
  const ProductType d = getDType();
  if (isInteger(getAType()) ? d != ProductType::S32
                            : d != ProductType::F32 && d != ProductType::F16)
    return emitOpError("adds up s32 of integers, and f32 or f16 of floats, not ")
           << stringifyProductType(d);
  if ((getATransposed() || getBTransposed()) && !hasTransposedForms())
    return emitOpError("transposes operands of 16-bit elements, not of ")
           << stringifyProductType(getAType());
  const bool descriptor = getA().size() == 1 && getA()[0].getType().isInteger(64);
  const bool registers = getA().size() == kRegistersOfA && llvm::all_of(getA(), [](Value part) {
                           return part.getType().isInteger(32);
                         });
  if (!descriptor && !registers)
    return emitOpError("takes A as an i64, its descriptor, or as four registers of i32");
  if (registers && getATransposed())
    return emitOpError("transposes A in shared memory, not in registers");
  if (getSums().getTypes() != getUpdated().getTypes())
    return emitOpError("has results of the accumulator's types");
  // A thread of 128 has N / 2 of the 64 N sums; two of f16 share a register.
  const size_t count = static_cast<size_t>(n) / (d == ProductType::F16 ? 4 : 2);
  if (getSums().size() != count)
    return emitOpError("has ") << count << " registers of sums for N = " << n << ", not "
                               << getSums().size();
  return success();
}

} // namespace fairlead::ir
