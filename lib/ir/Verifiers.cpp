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
  case ProductType::S4:
  case ProductType::E2M1:
    return 4;
  case ProductType::E2M3:
  case ProductType::E3M2:
    return 6;
  case ProductType::F64:
    return 64;
  case ProductType::E4M3:
  case ProductType::E5M2:
  case ProductType::S8:
  case ProductType::U8:
    return 8;
  }
  llvm_unreachable("a type of elements");
}

bool isInteger(ProductType type) { return type == ProductType::S8 || type == ProductType::U8; }

/// Return the number of a lane's registers for a tile that the 32 lanes of a warp share.
unsigned registersFor(uint32_t elements, ProductType type) {
  constexpr unsigned kLanes = 32;
  return elements / (kLanes * std::max(1, 32 / bitsOf(type)));
}

Type registerType(ProductType type, MLIRContext *context) {
  Builder b(context);
  return type == ProductType::F64   ? Type(b.getF64Type())
         : type == ProductType::F32 ? Type(b.getF32Type())
                                    : Type(b.getI32Type());
}

/// Verify the type of registers that hold elements of `type`.
LogicalResult verifyRegisters(Operation *op, ValueRange registers, ProductType type) {
  const Type expected = registerType(type, op->getContext());
  for (Value value : registers)
    if (value.getType() != expected)
      return op->emitOpError("has registers of ")
             << expected << " for " << stringifyProductType(type) << ", not " << value.getType();
  return success();
}

/// Verify shape and registers. One step of `lanes` x `bits` bits fills `lanes * bits / 1024`
/// registers of each lane of the warp.
LogicalResult verifyTensorMemoryShape(Operation *op, uint32_t lanes, uint32_t bits,
                                      size_t registers) {
  constexpr size_t kMostRegisters = 128;
  const bool isShape =
      lanes == 32 ? bits == 32
                  : lanes == 16 && (bits == 32 || bits == 64 || bits == 128 || bits == 256);
  if (!isShape)
    return op->emitOpError("has the shape 32 x 32, 16 x 32, 16 x 64, 16 x 128 or 16 x 256, not ")
           << lanes << " x " << bits;
  const size_t least = std::max<size_t>(1, lanes * bits / 1024);
  if (registers < least || registers > kMostRegisters || !llvm::isPowerOf2_64(registers))
    return op->emitOpError("moves a power of two of registers from ")
           << least << " to " << kMostRegisters << ", not " << registers;
  return success();
}

/// Return the kind of products with elements of this type; nothing for types that no kind has.
std::optional<TensorMemoryMmaKind> kindOf(ProductType type) {
  switch (type) {
  case ProductType::F16:
  case ProductType::BF16:
    return TensorMemoryMmaKind::F16;
  case ProductType::TF32:
    return TensorMemoryMmaKind::TF32;
  case ProductType::E4M3:
  case ProductType::E5M2:
  case ProductType::E2M3:
  case ProductType::E3M2:
  case ProductType::E2M1:
    return TensorMemoryMmaKind::F8F6F4;
  case ProductType::S8:
  case ProductType::U8:
    return TensorMemoryMmaKind::I8;
  default:
    return std::nullopt;
  }
}

/// Verify the operand types of a product of a warpgroup or with tensor memory.
/// `hasNarrow`: the product also takes floats of 4 and 6 bits.
LogicalResult verifyOperandTypes(Operation *op, ProductType a, ProductType b, bool hasNarrow) {
  const auto kind = kindOf(a);
  auto fits = [&](ProductType type) {
    return hasNarrow || kindOf(type) != TensorMemoryMmaKind::F8F6F4 || type == ProductType::E4M3 ||
           type == ProductType::E5M2;
  };
  if (kind && kind == kindOf(b) && (kind != TensorMemoryMmaKind::F16 || a == b) && fits(a) &&
      fits(b))
    return success();
  const std::string types = (stringifyProductType(a) + " and " + stringifyProductType(b)).str();
  if (hasNarrow)
    return op->emitOpError(
               "multiplies f16, bf16 or tf32 by the same type, and floats of 4, 6 and 8 "
               "bits or integers of 8 bits by each other, not ")
           << types;
  return op->emitOpError("multiplies f16, bf16 or tf32 by the same type, and floats of 8 bits or "
                         "integers of 8 bits by each other, not ")
         << types;
}

} // namespace

//===--- checks --------------------------------------------------------------------------------===

LogicalResult IndexOp::verify() {
  if (getBounds().size() != 2 * getModes().size())
    return emitOpError("takes an index and an extent for each of its ")
           << getModes().size() << " modes, not " << getBounds().size() << " numbers";
  return success();
}

LogicalResult TensorOp::verify() {
  const auto dynamic = static_cast<size_t>(llvm::count(getNumbers(), ShapedType::kDynamic));
  if (getNumbers().size() % 2 != 0)
    return emitOpError("takes an extent and a stride for each mode, not ")
           << getNumbers().size() << " numbers";
  if (getDynamic().size() != dynamic)
    return emitOpError("has ") << dynamic << " numbers that are not constant, but takes "
                               << getDynamic().size();
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
  constexpr int32_t kMostElements = 256, kMostSwizzle = 4;
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
    return emitOpError("has a swizzle of 0 to 4, not ") << getSwizzle();
  return success();
}

//===--- products ------------------------------------------------------------------------------===

unsigned MmaOp::getRegistersOfA() { return registersFor(getM() * getK(), getAType()); }
unsigned MmaOp::getRegistersOfB() { return registersFor(getN() * getK(), getBType()); }

LogicalResult MmaOp::verify() {
  const unsigned a = getRegistersOfA(), b = getRegistersOfB();
  const unsigned c = registersFor(getM() * getN(), getDType());
  if (getRegisters().size() != a + b + c || getSums().size() != c)
    return emitOpError("takes ") << a << " registers of A, " << b << " of B and " << c
                                 << " of C and gives as many of D, not " << getRegisters().size()
                                 << " and " << getSums().size();
  if (failed(verifyRegisters(*this, getRegisters().take_front(a), getAType())) ||
      failed(verifyRegisters(*this, getRegisters().slice(a, b), getBType())) ||
      failed(verifyRegisters(*this, getRegisters().take_back(c), getDType())))
    return failure();
  return verifyRegisters(*this, getSums(), getDType());
}

LogicalResult LoadMatrixOp::verify() { return verifyMatrices(*this, getRegisters().size()); }
LogicalResult LoadByteMatrixOp::verify() {
  if (getTransposed() ? getBits() != 8 && getBits() != 6 && getBits() != 4
                      : getBits() != 6 && getBits() != 4)
    return emitOpError("has elements of 4 or 6 bits, or transposed ones of 8, not ") << getBits();
  const size_t count = getRegisters().size();
  if (getTransposed() && count != 2 && count != 4)
    return emitOpError("moves 1 or 2 transposed matrices, two registers each, not ")
           << count << " registers";
  return getTransposed() ? success() : verifyMatrices(*this, count);
}
LogicalResult StoreMatrixOp::verify() { return verifyMatrices(*this, getRegisters().size()); }

int WarpgroupMmaOp::getK() {
  constexpr int kBits = 256;
  return kBits / bitsOf(getAType());
}

bool WarpgroupMmaOp::hasTransposedForms() { return bitsOf(getAType()) == 16; }

int WarpgroupMmaOp::getLeastPtx() {
  const bool ofMixedIntegers = getDType() == ProductType::S32 && getAType() != getBType();
  return ofMixedIntegers ? 84 : 80;
}

LogicalResult WarpgroupMmaOp::verify() {
  constexpr int32_t kStep = 8, kMost = 256;
  constexpr size_t kRegistersOfA = 4;
  const int32_t n = static_cast<int32_t>(getN());
  if (n < kStep || n > kMost || n % kStep)
    return emitOpError("has an extent N of 8 to 256, a multiple of 8, not ") << n;
  if (failed(verifyOperandTypes(*this, getAType(), getBType(), /*hasNarrow=*/false)))
    return failure();
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

//===--- tensor memory -------------------------------------------------------------------------===

LogicalResult TensorMemoryLoadOp::verify() {
  return verifyTensorMemoryShape(*this, getStepLanes(), getStepBits(), getRegisters().size());
}
LogicalResult TensorMemoryStoreOp::verify() {
  return verifyTensorMemoryShape(*this, getStepLanes(), getStepBits(), getRegisters().size());
}

LogicalResult TensorMemoryExtremeLoadOp::verify() {
  if (getRegisters().size() < 2)
    return emitOpError("compares two registers or more");
  return verifyTensorMemoryShape(*this, 32, 32, getRegisters().size());
}

TensorMemoryMmaKind TensorMemoryMmaOp::getKind() {
  return kindOf(getAType()).value_or(TensorMemoryMmaKind::F16);
}

/// The extents of `mma`, whose types are right.
static LogicalResult verifyExtents(TensorMemoryMmaOp mma) {
  const TensorMemoryMmaKind kind = mma.getKind();
  const bool pair = mma.getGroup() == CtaGroup::Two;
  const uint32_t m = mma.getM(), n = mma.getN(), least = pair ? 128 : 64;
  if (m != least && m != 2 * least)
    return mma.emitOpError("has an extent M of ")
           << least << " or " << 2 * least << " for group " << stringifyCtaGroup(mma.getGroup())
           << ", not " << m;
  const bool bytes = kind == TensorMemoryMmaKind::F8F6F4 && mma.getBTransposed();
  const bool integers = kind == TensorMemoryMmaKind::I8;
  const uint32_t step =
      pair ? (bytes || integers ? 32 : 16) : (bytes || (integers && n > 32) ? 16 : 8);
  if (n < step || n > 256 || n % step)
    return mma.emitOpError("has an extent N of ")
           << step << " to 256, a multiple of " << step << " for its types and group, not " << n;
  return success();
}

LogicalResult TensorMemoryMmaOp::verify() {
  const ProductType a = getAType(), b = getBType(), d = getDType();
  if (failed(verifyOperandTypes(*this, a, b, /*hasNarrow=*/true)))
    return failure();
  const TensorMemoryMmaKind kind = getKind();
  const bool addsHalves = a == ProductType::F16 || kind == TensorMemoryMmaKind::F8F6F4;
  if (kind == TensorMemoryMmaKind::I8
          ? d != ProductType::S32
          : d != ProductType::F32 && !(addsHalves && d == ProductType::F16))
    return emitOpError(
               "adds up s32 of integers, f32 of floats, and f16 of f16 and floats of 8 bits, not ")
           << stringifyProductType(d) << " of " << stringifyProductType(a);
  if (getATransposed() && isAInTensorMemory())
    return emitOpError("transposes A in shared memory, not in tensor memory");
  return verifyExtents(*this);
}

/// Verify the operand types of a product with scale factors.
template <typename Op> static LogicalResult verifyScaledTypes(Op mma) {
  const bool isOfFour = mma.getKind() != ScaledMmaKind::MXF8F6F4;
  for (ProductType type : {mma.getAType(), mma.getBType()}) {
    if (isOfFour && type != ProductType::E2M1)
      return mma.emitOpError("multiplies e2m1 for the kinds mxf4 and mxf4nvf4, not ")
             << stringifyProductType(type);
    if (kindOf(type) != TensorMemoryMmaKind::F8F6F4)
      return mma.emitOpError("multiplies floats of 4, 6 and 8 bits, not ")
             << stringifyProductType(type);
  }
  const uint32_t vector = mma.getVector();
  const bool isExponent = mma.getScaleType() == ScaleType::UE8M0;
  if (mma.getKind() == ScaledMmaKind::MXF4NVF4 ? vector != 16 && !(vector == 32 && isExponent)
                                               : vector != 32 || !isExponent)
    return mma.emitOpError(
               "has a scale factor ue8m0 per 32 elements, or for kind mxf4nvf4 also ue4m3 or "
               "ue8m0 per 16, not ")
           << stringifyScaleType(mma.getScaleType()) << " per " << vector;
  return success();
}

LogicalResult ScaledMmaOp::verify() {
  constexpr size_t kOfOperands = 6, kSums = 4, kAll = kOfOperands + kSums + 2;
  if (failed(verifyScaledTypes(*this)))
    return failure();
  bool fits = getRegisters().size() == kAll && getSums().size() == kSums;
  for (size_t index = 0; fits && index < kAll; ++index) {
    const Type type = getRegisters()[index].getType();
    const bool isSum = index >= kOfOperands && index < kOfOperands + kSums;
    fits = isSum ? type.isF32() : type.isInteger(32);
  }
  if (!fits)
    return emitOpError(
        "takes 4 registers of A, 2 of B, 4 f32 of C and 2 of scale factors, and gives "
        "4 of D");
  return success();
}

LogicalResult TensorMemoryScaledMmaOp::verify() {
  if (failed(verifyScaledTypes(*this)))
    return failure();
  const bool pair = getGroup() == CtaGroup::Two, isOfBytes = getKind() == ScaledMmaKind::MXF8F6F4;
  if (!isOfBytes && (getATransposed() || getBTransposed()))
    return emitOpError("transposes operands of kind mxf8f6f4 only");
  const uint32_t m = getM(), n = getN(), k = getK(), step = pair || k == 96 ? 16 : 8;
  if (isOfBytes ? k != 32 : k != 64 && k != 96)
    return emitOpError(
               "has an extent K of 32 for kind mxf8f6f4, and of 64 or 96 for the others, not ")
           << k;
  if (m != 128 && !(pair && m == 256))
    return emitOpError("has an extent M of 128, or 256 for group two, not ") << m;
  if (n < step || n > 256 || n % step)
    return emitOpError("has an extent N of ")
           << step << " to 256, a multiple of " << step << ", not " << n;
  return success();
}

} // namespace fairlead::ir
