/// From coordinates to indices and back.
#include "fairlead/layout/Layout.h"
#include "layout/ModeList.h"

namespace fairlead::layout {
namespace {

/// `coordinate` is weakly congruent to `shape`.
IntTuple expand(const IntTuple &coordinate, const IntTuple &shape, const Arithmetic &arithmetic) {
  if (shape.isLeaf())
    return coordinate;
  std::vector<IntTuple> modes;
  if (!coordinate.isLeaf()) {
    for (size_t mode = 0; mode < shape.modes().size(); ++mode)
      modes.push_back(expand(coordinate[mode], shape[mode], arithmetic));
    return IntTuple(std::move(modes));
  }
  Int rest = coordinate.leaf();
  for (size_t mode = 0; mode < shape.modes().size(); ++mode) {
    bool last = mode + 1 == shape.modes().size();
    Int extent = last ? Int(1) : size(shape[mode], arithmetic);
    modes.push_back(expand(last ? rest : arithmetic.mod(rest, extent), shape[mode], arithmetic));
    rest = arithmetic.floorDiv(rest, extent);
  }
  return IntTuple(std::move(modes));
}

} // namespace

std::optional<IntTuple> idx2crd(const IntTuple &coordinate, const IntTuple &shape,
                                const Arithmetic &arithmetic) {
  if (!weaklyCongruent(coordinate, shape))
    return std::nullopt;
  return expand(coordinate, shape, arithmetic);
}

std::optional<Int> crd2idx(const IntTuple &coordinate, const Layout &layout,
                           const Arithmetic &arithmetic) {
  auto full = idx2crd(coordinate, layout.shape(), arithmetic);
  if (!full)
    return std::nullopt;
  std::vector<Int> entries = full->leaves(), strides = layout.stride().leaves();
  Int index(0);
  for (size_t i = 0; i < entries.size(); ++i)
    index = arithmetic.add(index, arithmetic.mul(entries[i], strides[i]));
  return index;
}

IntTuple hierarchicalCoordinate(const Int &index, const Layout &layout,
                                const Arithmetic &arithmetic) {
  std::vector<Int> extents = layout.shape().leaves(), strides = layout.stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i)
    extents[i] = arithmetic.mod(arithmetic.floorDiv(index, strides[i]), extents[i]);
  return unflatten(extents, layout.shape());
}

IntTuple flatCoordinate(const Int &index, const Layout &layout, const Arithmetic &arithmetic) {
  IntTuple nested = hierarchicalCoordinate(index, layout, arithmetic);
  if (nested.isLeaf())
    return nested;
  std::vector<IntTuple> modes;
  for (size_t mode = 0; mode < nested.modes().size(); ++mode)
    modes.emplace_back(
        *crd2idx(nested[mode], Layout(layout.shape()[mode], arithmetic), arithmetic));
  return IntTuple(std::move(modes));
}

} // namespace fairlead::layout
