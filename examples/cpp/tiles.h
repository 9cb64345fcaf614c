// Tiles of Float16 that examples load by TMA to shared memory, in rows of 64 elements.
#ifndef FAIRLEAD_EXAMPLES_TILES_H_
#define FAIRLEAD_EXAMPLES_TILES_H_

#include <utility>
#include <vector>

#include "fairlead/dsl.h"

namespace tiles {

namespace fl = fairlead::dsl;
namespace layout = fairlead::layout;
using Extent = layout::Coordinate;

// Rows of 64 elements (128 bytes), swizzled in chunks of 16 bytes so that one chunk of eight rows
// is in eight different banks: the layout that products of tiles in shared memory need.
constexpr layout::Swizzle kSwizzle{3, 4, 3};
inline layout::Layout rowsOf64(int rows) {
  return fl::makeLayout(fl::tuple(rows, 64), fl::tuple(64, 1));
}
inline fl::Tensor sharedRows(int rows, int stages) {
  layout::Layout layout = fl::makeLayout(fl::tuple(rows, 64, stages), fl::tuple(64, 1, rows * 64));
  return fl::sharedTensor(fl::f16, layout, 1024, kSwizzle);
}

inline layout::Tiler tiler(int rows, int columns) {
  return layout::Tiler({layout::Layout(rows), layout::Layout(columns)});
}

// The element at an index of the last modes.
inline fl::Tensor at(const fl::Tensor &tensor, const std::vector<fl::Scalar> &last) {
  std::vector<Extent> coordinate(static_cast<size_t>(tensor.rank()) - last.size());
  for (const fl::Scalar &place : last)
    coordinate.emplace_back(fl::toInt(place));
  return tensor.sliceAt(Extent(coordinate));
}

// Shared memory, and all tiles of a tensor's coordinates, divided into boxes: those that block
// `block` copies among `blocks` of a cluster that share tiles.
inline std::pair<fl::Tensor, fl::Tensor> boxes(const fl::TensorAtom &atom, const fl::Tensor &shared,
                                               const fl::Tensor &coordinates, int rows, int columns,
                                               const fl::Scalar &block = 0, int blocks = 1) {
  fl::Tensor tiles = fl::localTile(coordinates, tiler(rows, columns),
                                   Extent(std::vector<Extent>{Extent(), Extent()}));
  return fl::partitionBoxes(atom, block, layout::Layout(blocks), fl::groupModes(shared, 0, 2),
                            fl::groupModes(tiles, 0, 2));
}

// A number that is the same in all threads of a warp, and known to be.
inline fl::Scalar uniform(const fl::Scalar &value) {
  return fl::shuffle(fl::Shuffle::Index, value, 0);
}

} // namespace tiles
#endif // FAIRLEAD_EXAMPLES_TILES_H_
