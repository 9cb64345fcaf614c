#include "layout/ModeList.h"

namespace fairlead::layout {

ModeList::ModeList(const Layout &layout) {
  std::vector<Int> extents = layout.shape().leaves(), strides = layout.stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i)
    modes.push_back({extents[i], strides[i]});
}

/// True when `second` goes on where `first` ends. A product that would have to be computed when the
/// program runs is not looked at.
static bool continues(const ModeList::Mode &first, const ModeList::Mode &second) {
  if (first.extent.isStatic() && first.stride.isStatic())
    return second.stride == Arithmetic().mul(first.extent, first.stride);
  if (first.stride.is(1))
    return second.stride == first.extent;
  return first.extent.is(1) && second.stride == first.stride;
}

void ModeList::append(const Mode &mode, const Arithmetic &arithmetic) {
  if (mode.extent.is(1))
    return;
  if (!modes.empty() && continues(modes.back(), mode))
    modes.back().extent = arithmetic.mul(modes.back().extent, mode.extent);
  else
    modes.push_back(mode);
}

Layout ModeList::layout() const {
  if (modes.empty())
    return Layout(1, 0);
  if (modes.size() == 1)
    return Layout(modes[0].extent, modes[0].stride);
  std::vector<IntTuple> shape, stride;
  for (const Mode &mode : modes) {
    shape.push_back(mode.extent);
    stride.push_back(mode.stride);
  }
  return Layout(IntTuple(std::move(shape)), IntTuple(std::move(stride)));
}

Layout ModeList::group(const std::vector<Layout> &layouts) {
  std::vector<IntTuple> shape, stride;
  for (const Layout &layout : layouts) {
    shape.push_back(layout.shape());
    stride.push_back(layout.stride());
  }
  return Layout(IntTuple(std::move(shape)), IntTuple(std::move(stride)));
}

Layout ModeList::mode(const Layout &layout, size_t mode) {
  return Layout(layout.shape()[mode], layout.stride()[mode]);
}

std::vector<Layout> ModeList::modesOf(const Layout &layout) {
  if (layout.shape().isLeaf())
    return {layout};
  std::vector<Layout> modes;
  for (size_t i = 0; i < layout.shape().modes().size(); ++i)
    modes.push_back(mode(layout, i));
  return modes;
}

} // namespace fairlead::layout
