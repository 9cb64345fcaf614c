/// MMA instructions with accumulators in tensor memory (tcgen05.mma).
#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/TensorInstructions.h"
#include "dsl/atom/TensorMemoryPlaces.h"
#include "dsl/memory/ElementAccess.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Bits of an element in shared memory, where 16 floats of fewer than 8 bits take 16 bytes.
int bitsInShared(DType type) { return isSmallFloat(type) ? 8 : bitWidth(type); }

class TensorMemoryMma final : public MmaInstruction {
public:
  explicit TensorMemoryMma(const MmaAtom::TensorMemory &operands) : operands(operands) {}

  void require(const MmaAtom &atom) const final {
    const std::string what = "the MMA atom " + atom.name;
    requireTensorMemory(what);
    if (atom.c == DType::Int32)
      Program::current()->requireFeature(GpuFeature::TensorMemoryInt8, what);
  }

  MmaMemory memoryOf(MmaOperand operand) const final {
    const bool ofTensor =
        operand == MmaOperand::C || (operand == MmaOperand::A && operands.aInTensorMemory);
    return ofTensor ? MmaMemory::Tensor : MmaMemory::Shared;
  }
  bool canOverwrite() const final { return true; }
  int elementBits(const MmaAtom &atom, MmaOperand operand) const final {
    return bitsInShared(operand == MmaOperand::A ? atom.a : atom.b);
  }
  bool isTransposed(MmaOperand operand) const final {
    return operand == MmaOperand::A ? operands.aTransposed : operands.bTransposed;
  }
  int64_t descriptorBits() const final { return kTensorDescriptorVersion; }
  Tensor fragment(const MmaAtom &atom, MmaOperand operand,
                  const layout::IntTuple &shape) const final {
    const bool isA = operand == MmaOperand::A;
    const auto places =
        isA ? TensorMemoryPlaces::ofA(atom, operands) : TensorMemoryPlaces::ofC(atom, operands);
    return Tensor(beginning(isA ? atom.a : atom.c), places.layoutOf(shape));
  }

  void multiply(const MmaTiles &tiles, int64_t k) const final {
    const MmaAtom &atom = tiles.atom;
    OpBuilder &b = tiles.impl.builder;
    tiles.multiplyEach(k, [&](const MmaTiles::Product &product) {
      const layout::Int place = offsetOf(tiles.d, layout::Int(product.place));
      mlir::Value sum = emitAddress(tiles.impl, tiles.d.pointer(), place);
      ir::TensorMemoryMmaOp::create(b, b.getUnknownLoc(), atom.shape[0], atom.shape[1],
                                    *productType(atom.c), *productType(atom.a),
                                    *productType(atom.b), sum, product.a.front(), product.b,
                                    product.added, operands.aTransposed, operands.bTransposed,
                                    operands.ofPair ? ir::CtaGroup::Two : ir::CtaGroup::One);
    });
  }

private:
  /// Column 0 of tensor memory, where a block that reserves all columns has its first one.
  static Pointer beginning(DType type) {
    constexpr int64_t kAlignment = 16;
    const Program *program = Program::current();
    return program && program->inKernel()
               ? Pointer::fromInt(type, Scalar(int32_t{0}), AddressSpace::Tensor, kAlignment)
               : Pointer(type, nullptr, AddressSpace::Tensor);
  }

  const MmaAtom::TensorMemory operands;
};

/// True if sums of products of these elements may have the type.
bool canSum(DType element, DType sum) {
  if (isByte(element))
    return sum == DType::Int32;
  const bool halves = element == DType::Float16 || isSmallFloat(element);
  return sum == DType::Float32 || (halves && sum == DType::Float16);
}

} // namespace

MmaAtom MmaAtom::inTensorMemory(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                                const TensorMemory &operands, SourceLoc at) {
  AtSourceLoc placed(at);
  auto [m, n, k] = shape;
  const std::string product = productName(shape, accumulator, a, b);
  const std::string name = instructionName<ir::TensorMemoryMmaOp>();
  const bool areNarrow = isSmallFloat(a) && isSmallFloat(b);
  if (!(areNarrow || canMultiply(a, b)) || !canSum(a, accumulator))
    throw makeError(
        Diagnostic::MmaTypes,
        {{"mma", name},
         {"types",
          "Float16, BFloat16, TFloat32 or floats of 4, 6 or 8 bits with Float32 accumulators, "
          "Float16 or floats of 4, 6 or 8 bits with Float16, Int8 and Uint8 with Int32"},
         {"got", product}});
  const int blocks = operands.ofPair ? 2 : 1, least = 256 / bitsInShared(a), rows = 64 * blocks;
  const bool integers = accumulator == DType::Int32;
  const bool bytes = areNarrow && operands.bTransposed;
  // Integers of one block have steps of 8 up to 32.
  const int step = 8 * blocks * (bytes || (integers && (operands.ofPair || n > 32)) ? 2 : 1);
  if ((m != rows && m != 2 * rows) || k != least || n < step || n > 256 || n % step)
    throw makeError(
        Diagnostic::MmaShape,
        {{"m", std::to_string(rows) + " or " + std::to_string(2 * rows)},
         {"k", std::to_string(least)},
         {"mma", name + " of " + std::string(className(a)) +
                     (operands.ofPair ? " in a pair of blocks" : " in one block")},
         {"steps", integers && !operands.ofPair ? "16 (8 up to 32)" : std::to_string(step)},
         {"got", product}});
  if (operands.aInTensorMemory && bitWidth(a) < 8)
    throw makeError(Diagnostic::MmaTypes, {{"mma", name + " with A in tensor memory"},
                                           {"types", "elements of A of 8 bits or more"},
                                           {"got", product}});
  if (operands.aInTensorMemory && operands.aTransposed)
    throw makeError(Diagnostic::MmaMajorMode,
                    {{"types", "with A in tensor memory"}, {"mma", name}, {"got", product}});
  // (block, (rows of the block, columns)): blocks have one half of the rows after the other.
  auto tile = [blocks](int rows, int columns) {
    return *layout::Layout::make(layout::tuple(blocks, layout::tuple(rows / blocks, columns)),
                                 layout::tuple(blocks == 1 ? 0 : rows / 2, layout::tuple(1, rows)));
  };
  return MmaAtom{name + "." + product,
                 shape,
                 a,
                 b,
                 accumulator,
                 *layout::Layout::make(blocks, operands.ofPair ? 1 : 0),
                 tile(m, k),
                 tile(n, k),
                 tile(m, n),
                 std::make_shared<TensorMemoryMma>(operands)};
}

} // namespace fairlead::dsl
