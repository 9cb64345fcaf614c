/// Products whose operands have scale factors in tensor memory (tcgen05.mma with block scaling).
#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/TensorInstructions.h"
#include "dsl/memory/ElementAccess.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Bits of K of one product, unless it is long.
constexpr int kProductBits = 256;
/// Elements along K of a long product of floats of 4 bits.
constexpr int kLongDepth = 96;

/// Bits of an element in shared memory. Kind MXF8F6F4 has 16 elements in 16 bytes.
int bitsInShared(MmaAtom::ScaledKind kind) { return kind == MmaAtom::ScaledKind::MXF8F6F4 ? 8 : 4; }

/// The product without scale factors that has its accumulators at the same places.
class ScaledMma final : public MmaInstruction {
public:
  ScaledMma(MmaAtom plain, const MmaAtom::Scales &scales, const MmaAtom::TensorMemory &operands)
      : plain(std::move(plain)), scales(scales), operands(operands) {}

  void require(const MmaAtom &atom) const final {
    const std::string what = "the MMA atom " + atom.name;
    requireTensorMemory(what);
    if (atom.shape[2] == kLongDepth)
      requireCapability103(what, /*orLater=*/false);
  }
  MmaMemory memoryOf(MmaOperand operand) const final { return plain.memoryOf(operand); }
  bool canOverwrite() const final { return true; }
  bool hasScales() const final { return true; }
  int elementBits(const MmaAtom &, MmaOperand) const final { return bitsInShared(scales.kind); }
  bool isTransposed(MmaOperand operand) const final {
    return operand == MmaOperand::A ? operands.aTransposed : operands.bTransposed;
  }
  int64_t descriptorBits() const final { return plain.instruction->descriptorBits(); }
  Tensor fragment(const MmaAtom &, MmaOperand operand, const layout::IntTuple &shape) const final {
    return plain.instruction->fragment(plain, operand, shape);
  }

  void multiply(const MmaTiles &tiles, int64_t k) const final {
    const MmaAtom &atom = tiles.atom;
    OpBuilder &b = tiles.impl.builder;
    if (tiles.left.tiles != 1 || tiles.right.tiles != 1 || tiles.left.steps != 1)
      throw makeError(Diagnostic::GemmFragments,
                      {{"atom", atom.name},
                       {"expected", "one tile along M, N and K, to which the scale factors belong"},
                       {"d", tiles.d.str()},
                       {"a", tiles.left.tensor.str()},
                       {"b", tiles.right.tensor.str()},
                       {"c", tiles.c.str()}});
    mlir::Value left = addressOf(tiles, tiles.scales.a, "SFA");
    mlir::Value right = addressOf(tiles, tiles.scales.b, "SFB");
    tiles.multiplyEach(k, [&](const MmaTiles::Product &product) {
      const layout::Int place = offsetOf(tiles.d, layout::Int(product.place));
      mlir::Value sum = emitAddress(tiles.impl, tiles.d.pointer(), place);
      ir::TensorMemoryScaledMmaOp::create(
          b, b.getUnknownLoc(), static_cast<ir::ScaledMmaKind>(scales.kind), atom.shape[0],
          atom.shape[1], atom.shape[2], *productType(atom.a), *productType(atom.b), scaleType(),
          scales.vector, sum, product.a.front(), product.b, left, right, product.added,
          operands.aTransposed, operands.bTransposed,
          operands.ofPair ? ir::CtaGroup::Two : ir::CtaGroup::One);
    });
  }

private:
  ir::ScaleType scaleType() const {
    return scales.type == DType::Float8E8M0FNU ? ir::ScaleType::UE8M0 : ir::ScaleType::UE4M3;
  }

  static mlir::Value addressOf(const MmaTiles &tiles, const std::optional<Scalar> &address,
                               const char *field) {
    if (!address)
      throw makeError(Diagnostic::MmaOperandMemory,
                      {{"memory", "scale factors in tensor memory, from set(Field." +
                                      std::string(field) + ", pointer),"},
                       {"operand", field},
                       {"atom", tiles.atom.name},
                       {"got", "none"}});
    OpBuilder &b = tiles.impl.builder;
    return LLVM::IntToPtrOp::create(b, b.getUnknownLoc(), pointerType(b, AddressSpace::Tensor),
                                    emitAs(tiles.impl, *address, DType::Int32));
  }

  const MmaAtom plain;
  const MmaAtom::Scales scales;
  const MmaAtom::TensorMemory operands;
};

} // namespace

void requireScaledTypes(const std::string &name, const std::string &product, DType a, DType b,
                        const MmaAtom::Scales &scales) {
  const bool isOfFour = bitsInShared(scales.kind) == 4;
  auto fits = [&](DType type) {
    return isOfFour ? type == DType::Float4E2M1FN : isSmallFloat(type);
  };
  if (!fits(a) || !fits(b))
    throw makeError(Diagnostic::MmaTypes,
                    {{"mma", name},
                     {"types", isOfFour ? "Float4E2M1FN" : "floats of 4, 6 or 8 bits"},
                     {"got", product}});
  const bool isExponent = scales.type == DType::Float8E8M0FNU;
  const bool isOf16 = scales.kind == MmaAtom::ScaledKind::MXF4NVF4;
  const bool fitsScale =
      (scales.vector == 32 && isExponent) ||
      (isOf16 && scales.vector == 16 && (isExponent || scales.type == DType::Float8E4M3FN));
  if (!fitsScale)
    throw makeError(Diagnostic::MmaTypes,
                    {{"mma", name},
                     {"types", std::string("a scale factor Float8E8M0FNU for each 32 elements") +
                                   (isOf16 ? ", Float8E4M3FN or Float8E8M0FNU for each 16" : "")},
                     {"got", std::string(className(scales.type)) + " for each " +
                                 std::to_string(scales.vector)}});
}

MmaAtom MmaAtom::scaledInTensorMemory(DType a, DType b, std::array<int, 3> shape,
                                      const Scales &scales, const TensorMemory &operands,
                                      SourceLoc at) {
  AtSourceLoc placed(at);
  auto [m, n, k] = shape;
  const std::string name =
      instructionName<ir::TensorMemoryScaledMmaOp>() + "." +
      stringifyScaledMmaKind(static_cast<ir::ScaledMmaKind>(scales.kind)).str();
  const std::string product = productName(shape, DType::Float32, a, b);
  requireScaledTypes(name, product, a, b, scales);
  const int bits = bitsInShared(scales.kind), plainDepth = kProductBits / bits;
  const bool canBeLong = bits == 4;
  const int depth = canBeLong && k == kLongDepth ? kLongDepth : plainDepth;
  const int step = operands.ofPair || depth == kLongDepth ? 16 : 8;
  const bool hasN = n >= step && n <= 256 && n % step == 0;
  if ((m != 128 && !(operands.ofPair && m == 256)) || k != depth || !hasN)
    throw makeError(Diagnostic::MmaShape,
                    {{"m", operands.ofPair ? "128 or 256" : "128"},
                     {"k", std::to_string(plainDepth) + (canBeLong ? " or 96" : "")},
                     {"mma", name + (operands.ofPair ? " in a pair of blocks" : " in one block")},
                     {"steps", std::to_string(step)},
                     {"got", product}});
  if (bits != 8 && (operands.aTransposed || operands.bTransposed))
    throw makeError(Diagnostic::MmaMajorMode,
                    {{"types", "of floats of 4 bits"}, {"mma", name}, {"got", product}});
  constexpr DType kByte = DType::Float8E4M3FN;
  TensorMemory rows = operands;
  rows.aTransposed = rows.bTransposed = false;
  MmaAtom atom = inTensorMemory(kByte, kByte, DType::Float32, {m, n, kProductBits / 8}, rows);
  const int blocks = static_cast<int>(layout::size(atom.threads).value());
  auto tile = [&](int extent) {
    const int part = extent / blocks;
    return *layout::Layout::make(layout::tuple(blocks, layout::tuple(part, depth)),
                                 layout::tuple(blocks == 1 ? 0 : part, layout::tuple(1, extent)));
  };
  auto instruction = std::make_shared<ScaledMma>(atom, scales, operands);
  atom.name = name + "." + product;
  atom.shape = shape;
  atom.a = a;
  atom.b = b;
  atom.layoutA = tile(m);
  atom.layoutB = tile(n);
  atom.instruction = std::move(instruction);
  return atom;
}

} // namespace fairlead::dsl
