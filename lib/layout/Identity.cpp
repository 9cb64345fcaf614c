/// Layouts whose values are coordinates.
#include <algorithm>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {
namespace {

IntTuple steps(const IntTuple &shape, std::vector<int> &path) {
  if (shape.isLeaf())
    return Int::along(path);
  std::vector<IntTuple> modes;
  for (size_t mode = 0; mode < shape.modes().size(); ++mode) {
    path.push_back(static_cast<int>(mode));
    modes.push_back(steps(shape[mode], path));
    path.pop_back();
  }
  return IntTuple(std::move(modes));
}

/// Adds `value` to the leaf of `tuple` that the path leads to, from `level` on. Empty if the path
/// does not lead to a leaf.
std::optional<IntTuple> addAt(const IntTuple &tuple, const std::vector<int> &path, size_t level,
                              const Int &value, const Arithmetic &arithmetic) {
  if (level == path.size()) {
    if (!tuple.isLeaf())
      return std::nullopt;
    return IntTuple(arithmetic.add(tuple.leaf(), value));
  }
  if (tuple.isLeaf() || path[level] >= rank(tuple))
    return std::nullopt;
  std::vector<IntTuple> modes = tuple.modes();
  auto mode = addAt(modes[path[level]], path, level + 1, value, arithmetic);
  if (!mode)
    return std::nullopt;
  modes[path[level]] = *mode;
  return IntTuple(std::move(modes));
}

} // namespace

Layout identityLayout(const IntTuple &shape) {
  std::vector<int> path;
  // A leaf's coordinate is a number, and so is the stride.
  return *Layout::make(shape, shape.isLeaf() ? IntTuple(1) : steps(shape, path));
}

static bool hasStep(const IntTuple &stride) {
  return stride.isLeaf() ? stride.leaf().isStep()
                         : std::any_of(stride.modes().begin(), stride.modes().end(), hasStep);
}

bool yieldsCoordinates(const Layout &layout) { return hasStep(layout.stride()); }

static IntTuple zeros(const std::vector<std::vector<int>> &paths, size_t level) {
  std::vector<std::vector<std::vector<int>>> byMode;
  for (const std::vector<int> &path : paths)
    if (level < path.size()) {
      byMode.resize(std::max(byMode.size(), static_cast<size_t>(path[level]) + 1));
      byMode[path[level]].push_back(path);
    }
  if (byMode.empty())
    return 0;
  std::vector<IntTuple> modes;
  for (const auto &inner : byMode)
    modes.push_back(zeros(inner, level + 1));
  return IntTuple(std::move(modes));
}

IntTuple originOf(const Layout &layout) {
  std::vector<std::vector<int>> paths;
  for (const Int &stride : layout.stride().leaves())
    paths.push_back(stride.path());
  return zeros(paths, 0);
}

std::optional<IntTuple> coordinateAt(const IntTuple &coordinate, const Layout &layout,
                                     const IntTuple &origin, const Arithmetic &arithmetic) {
  auto full = idx2crd(coordinate, layout.shape(), arithmetic);
  if (!full)
    return std::nullopt;
  std::vector<Int> entries = full->leaves(), strides = layout.stride().leaves();
  std::optional<IntTuple> result = origin;
  for (size_t i = 0; i < entries.size() && result; ++i) {
    Int moved = arithmetic.mul(entries[i], strides[i].steps());
    const bool ofFirst = !strides[i].isStep() && !origin.isLeaf();
    if (!moved.is(0))
      result =
          addAt(*result, ofFirst ? std::vector<int>{0} : strides[i].path(), 0, moved, arithmetic);
  }
  return result;
}

} // namespace fairlead::layout
