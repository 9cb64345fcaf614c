#include "dsl/atom/TensorMemoryPlaces.h"

#include "dsl/atom/Need.h"
#include "dsl/atom/TensorInstructions.h"

namespace fairlead::dsl {
namespace {

constexpr int kHalf = 64;     ///< rows of which tensor memory has two
constexpr int kWarpRows = 16; ///< of each warp's 32 lanes, of 64 rows of one block

int64_t perCell(DType type) { return 32 / bitWidth(type); }

} // namespace

TensorMemoryPlaces TensorMemoryPlaces::ofC(const MmaAtom &atom,
                                           const MmaAtom::TensorMemory &operands) {
  TensorMemoryPlaces places(atom.shape[0] / (operands.ofPair ? 2 : 1), atom.shape[1]);
  places.isSpread = places.rows == kHalf && !operands.ofPair;
  places.skipsLanes = operands.aInTensorMemory; // A has the lanes of the sums
  places.isHalved = places.rows == kHalf && operands.ofPair;
  places.column = perCell(atom.c);
  places.lane = places.column << 16;
  return places;
}

TensorMemoryPlaces TensorMemoryPlaces::ofA(const MmaAtom &atom,
                                           const MmaAtom::TensorMemory &operands) {
  TensorMemoryPlaces places(atom.shape[0] / (operands.ofPair ? 2 : 1), atom.shape[2]);
  places.isOfA = true;
  places.isSpread = places.rows == kHalf && !operands.ofPair;
  places.skipsLanes = true;
  places.isRepeated = places.rows == kHalf && operands.ofPair;
  places.lane = perCell(atom.a) << 16;
  return places;
}

bool TensorMemoryPlaces::hasShape(const layout::IntTuple &shape) const {
  if (shape.isLeaf() || !shape.isStatic() || shape.modes().empty() || shape[0].isLeaf() ||
      shape[0].modes().size() != 2)
    return false;
  auto extent = [&](int mode) { return layout::size(layout::Layout(shape[0][mode])); };
  return extent(0).is(rows) && extent(1).is(columns);
}

std::string TensorMemoryPlaces::shapeText() const {
  return "((" + std::to_string(rows) + ", " + std::to_string(columns) + "), ...)";
}

void TensorMemoryPlaces::reject(const std::string &expected, const std::string &got) const {
  if (isOfA)
    throw makeError(
        Diagnostic::LayoutMode,
        {{"expected", expected + ", of a partition of A, as the static shape for make_fragment_A"},
         {"got", got}});
  throw makeError(Diagnostic::TensorMemoryShape, {{"expected", expected}, {"got", got}});
}

layout::Layout TensorMemoryPlaces::layoutOf(const layout::IntTuple &shape) const {
  if (!hasShape(shape))
    reject(shapeText(), shape.str());
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
  if (columnsOf(reached) > kTensorMemoryColumns) {
    if (isOfA)
      throw makeError(Diagnostic::LayoutMode,
                      {{"expected", "up to 512 columns of tensor memory for make_fragment_A"},
                       {"got", shape.str()}});
    throw makeError(Diagnostic::TensorMemoryFragment, {{"got", shape.str()}});
  }
  return layout::group(modes);
}

layout::Layout TensorMemoryPlaces::ofProduct() const {
  using layout::tuple;
  if (isSpread)
    return *layout::Layout::make(tuple(tuple(kWarpRows, rows / kWarpRows), columns),
                                 tuple(tuple(lane, 32 * lane), column));
  if (isHalved)
    return *layout::Layout::make(tuple(rows, tuple(columns / 2, 2)),
                                 tuple(lane, tuple(column, kHalf * lane)));
  return *layout::Layout::make(tuple(isRepeated ? 2 * rows : rows, columns), tuple(lane, column));
}

/// Tiles fill the lanes that are left, then columns.
layout::Layout TensorMemoryPlaces::ofTiles(int64_t extent, int64_t reached) const {
  using layout::tuple;
  if (extent == 1)
    return *layout::Layout::make(1, 0);
  const int64_t across = columns * column;
  if (!isInterleaved())
    return *layout::Layout::make(extent, reached * (isHalved ? across / 2 : across));
  if (reached % 2 == 0)
    return *layout::Layout::make(extent, reached / 2 * across);
  if (reached > 1 || (extent > 2 && extent % 2))
    reject("an even number of tiles in the modes of " + shapeText(),
           std::to_string(reached * extent) + " tiles");
  if (extent == 2)
    return *layout::Layout::make(extent, kWarpRows * lane);
  return *layout::Layout::make(tuple(2, extent / 2), tuple(kWarpRows * lane, across));
}

/// Return the columns of 32 bits that products take.
int64_t TensorMemoryPlaces::columnsOf(int64_t products) const {
  if (isInterleaved())
    products = (products + 1) / 2;
  const int64_t elements = products * columns * column;
  return elements / (isHalved ? 2 : 1) / (lane >> 16);
}

} // namespace fairlead::dsl
