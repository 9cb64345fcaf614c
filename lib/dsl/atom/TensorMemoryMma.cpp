/// MMA instructions with accumulators in tensor memory (tcgen05.mma).
#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/ProductTypes.h"
#include "dsl/atom/TensorInstructions.h"
#include "dsl/memory/ElementAccess.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

constexpr int kTileRows = 128;
/// Bits of an address above the column.
constexpr int64_t kLane = 1 << 16;

/// Return the layout of the accumulator of a partition of C of this shape, in columns and lanes.
layout::Layout tensorMemoryLayout(const MmaAtom &atom, const layout::IntTuple &shape) {
  bool fits = !shape.isLeaf() && shape.isStatic() && shape.modes().size() >= 1 &&
              shape[0] == layout::tuple(atom.shape[0], atom.shape[1]);
  if (!fits)
    throw makeError(Diagnostic::TensorMemoryShape, {{"m", std::to_string(atom.shape[0])},
                                                    {"n", std::to_string(atom.shape[1])},
                                                    {"got", shape.str()}});
  // One atom's columns after the other's.
  int64_t reached = atom.shape[1];
  std::vector<layout::IntTuple> strides{layout::tuple(kLane, 1)};
  for (size_t mode = 1; mode < shape.modes().size(); ++mode) {
    std::vector<layout::Int> steps;
    for (const layout::Int &extent : shape[static_cast<int>(mode)].leaves()) {
      steps.emplace_back(extent.is(1) ? 0 : reached);
      reached *= extent.value();
    }
    strides.push_back(layout::unflatten(steps, shape[static_cast<int>(mode)]));
  }
  if (reached > kTensorMemoryColumns)
    throw makeError(Diagnostic::TensorMemoryFragment, {{"got", shape.str()}});
  return *layout::Layout::make(shape, layout::IntTuple(std::move(strides)));
}

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
    return operand == MmaOperand::C ? MmaMemory::Tensor : MmaMemory::Shared;
  }
  bool canOverwrite() const final { return true; }
  bool isTransposed(MmaOperand operand) const final {
    return operand == MmaOperand::A ? operands.aTransposed : operands.bTransposed;
  }
  int64_t descriptorBits() const final {
    constexpr int64_t kVersion = 1 << 14;
    return kVersion;
  }
  Tensor accumulator(const MmaAtom &atom, const layout::IntTuple &shape) const final {
    return Tensor(Pointer(atom.c, nullptr, AddressSpace::Tensor), tensorMemoryLayout(atom, shape));
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
                                    product.added, operands.aTransposed, operands.bTransposed);
    });
  }

private:
  const MmaAtom::TensorMemory operands;
};

} // namespace

MmaAtom MmaAtom::inTensorMemory(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                                const TensorMemory &operands) {
  auto [m, n, k] = shape;
  const std::string product = productName(shape, accumulator, a, b);
  const std::string name = instructionName<ir::TensorMemoryMmaOp>();
  if (!canMultiply(a, b) || accumulator != (isByte(a) ? DType::Int32 : DType::Float32))
    throw makeError(
        Diagnostic::MmaTypes,
        {{"mma", name},
         {"types", "Float16, BFloat16, TFloat32 or floats of 8 bits with Float32 accumulators, "
                   "Int8 and Uint8 with Int32"},
         {"got", product}});
  const int least = 256 / bitWidth(a);
  bool integers = accumulator == DType::Int32;
  bool hasN = n >= 16 && n <= 256 && n % 16 == 0 && (!integers || n == 16 || n % 32 == 0);
  if (m != kTileRows || k != least || !hasN)
    throw makeError(Diagnostic::MmaShape,
                    {{"m", "128"},
                     {"k", std::to_string(least)},
                     {"mma", name + " of " + std::string(className(a)) + " in one block"},
                     {"steps", integers ? "32 (or 16)" : "16"},
                     {"got", product}});
  if (bitWidth(a) != 16 && (operands.aTransposed || operands.bTransposed))
    throw makeError(Diagnostic::MmaMajorMode, {{"mma", name}, {"got", product}});
  auto tile = [](int rows, int columns) {
    return *layout::Layout::make(layout::tuple(1, layout::tuple(rows, columns)),
                                 layout::tuple(0, layout::tuple(1, rows)));
  };
  return MmaAtom{name + "." + product,
                 shape,
                 a,
                 b,
                 accumulator,
                 *layout::Layout::make(1, 0),
                 tile(m, k),
                 tile(n, k),
                 tile(m, n),
                 std::make_shared<TensorMemoryMma>(operands)};
}

} // namespace fairlead::dsl
