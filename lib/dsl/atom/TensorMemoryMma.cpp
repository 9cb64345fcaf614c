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

/// The places of accumulators in tensor memory: each element has a cell of 32 bits, and addresses
/// count elements.
class AccumulatorPlaces {
public:
  AccumulatorPlaces(const MmaAtom &atom, bool ofPair)
      : rows(atom.shape[0] / (ofPair ? 2 : 1)), columns(atom.shape[1]), ofPair(ofPair),
        column(32 / bitWidth(atom.c)), lane(column << 16) {}

  bool hasShape(const layout::IntTuple &shape) const {
    return !shape.isLeaf() && shape.isStatic() && shape.modes().size() >= 1 &&
           shape[0] == layout::tuple(rows, columns);
  }
  std::string shapeText() const {
    return "((" + std::to_string(rows) + ", " + std::to_string(columns) + "), ...)";
  }

  /// Return the layout of a partition of C of this shape.
  layout::Layout layoutOf(const layout::IntTuple &shape) const {
    std::vector<layout::Layout> modes{ofProduct()};
    int64_t reached = 1;
    for (size_t mode = 1; mode < shape.modes().size(); ++mode) {
      const layout::IntTuple &extents = shape[static_cast<int>(mode)];
      std::vector<layout::Layout> parts;
      for (const layout::Int &extent : extents.leaves()) {
        parts.push_back(ofTiles(extent.value(), reached));
        reached *= extent.value();
      }
      modes.push_back(extents.isLeaf() ? parts.front() : layout::group(parts));
    }
    if (columnsOf(reached) > kTensorMemoryColumns)
      throw makeError(Diagnostic::TensorMemoryFragment, {{"got", shape.str()}});
    return layout::group(modes);
  }

private:
  static constexpr int kHalf = 64;     ///< rows of which tensor memory has two
  static constexpr int kWarpRows = 16; ///< of each warp's 32 lanes, of 64 rows of one block

  bool isSpread() const { return rows == kHalf && !ofPair; }

  /// 64 rows of a pair have the right half of their columns below the left one. 64 rows of one
  /// block take 16 lanes of each warp's 32.
  layout::Layout ofProduct() const {
    using layout::tuple;
    if (isSpread())
      return *layout::Layout::make(tuple(tuple(kWarpRows, rows / kWarpRows), columns),
                                   tuple(tuple(lane, 32 * lane), column));
    if (rows == kHalf)
      return *layout::Layout::make(tuple(rows, tuple(columns / 2, 2)),
                                   tuple(lane, tuple(column, kHalf * lane)));
    return *layout::Layout::make(tuple(rows, columns), tuple(lane, column));
  }

  /// Tiles fill the lanes that are left, then columns.
  layout::Layout ofTiles(int64_t extent, int64_t reached) const {
    using layout::tuple;
    if (extent == 1)
      return *layout::Layout::make(1, 0);
    const int64_t across = columns * column;
    if (!isSpread())
      return *layout::Layout::make(extent, reached * columnsOf(1) * column);
    if (reached % 2 == 0)
      return *layout::Layout::make(extent, reached / 2 * across);
    if (reached > 1 || (extent > 2 && extent % 2))
      throw makeError(Diagnostic::TensorMemoryShape,
                      {{"expected", "an even number of tiles in the modes of " + shapeText()},
                       {"got", std::to_string(reached * extent) + " tiles"}});
    if (extent == 2)
      return *layout::Layout::make(extent, kWarpRows * lane);
    return *layout::Layout::make(tuple(2, extent / 2), tuple(kWarpRows * lane, across));
  }

  int64_t columnsOf(int64_t products) const {
    if (isSpread())
      return (products + 1) / 2 * columns;
    return products * (rows == kHalf ? columns / 2 : columns);
  }

  int rows, columns;
  bool ofPair;
  int64_t column, lane; ///< steps of addresses
};

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
    const AccumulatorPlaces places(atom, operands.ofPair);
    if (!places.hasShape(shape))
      throw makeError(Diagnostic::TensorMemoryShape,
                      {{"expected", places.shapeText()}, {"got", shape.str()}});
    return Tensor(Pointer(atom.c, nullptr, AddressSpace::Tensor), places.layoutOf(shape));
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
  const MmaAtom::TensorMemory operands;
};

/// True if sums of products of these elements may have the type.
bool canSum(DType element, DType sum) {
  if (isByte(element))
    return sum == DType::Int32;
  const bool halves = element == DType::Float16 || bitWidth(element) == 8;
  return sum == DType::Float32 || (halves && sum == DType::Float16);
}

} // namespace

MmaAtom MmaAtom::inTensorMemory(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                                const TensorMemory &operands) {
  auto [m, n, k] = shape;
  const std::string product = productName(shape, accumulator, a, b);
  const std::string name = instructionName<ir::TensorMemoryMmaOp>();
  if (!canMultiply(a, b) || !canSum(a, accumulator))
    throw makeError(
        Diagnostic::MmaTypes,
        {{"mma", name},
         {"types", "Float16, BFloat16, TFloat32 or floats of 8 bits with Float32 accumulators, "
                   "Float16 or floats of 8 bits with Float16, Int8 and Uint8 with Int32"},
         {"got", product}});
  const int blocks = operands.ofPair ? 2 : 1, least = 256 / bitWidth(a), rows = 64 * blocks;
  const bool integers = accumulator == DType::Int32;
  const bool bytes = bitWidth(a) == 8 && !integers && operands.bTransposed;
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
  if (a == DType::TFloat32 && (operands.aTransposed || operands.bTransposed))
    throw makeError(Diagnostic::MmaMajorMode,
                    {{"types", "of TFloat32"}, {"mma", name}, {"got", product}});
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
