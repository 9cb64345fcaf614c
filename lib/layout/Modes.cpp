/// Choosing, grouping and slicing modes.
#include <algorithm>

#include "fairlead/layout/Algebra.h"
#include "layout/ModeList.h"

namespace fairlead::layout {

bool Coordinate::hasOpen() const {
  return isOpen() || std::any_of(modes_.begin(), modes_.end(),
                                 [](const Coordinate &mode) { return mode.hasOpen(); });
}

namespace {

/// A coordinate without open entries as a tuple of integers.
IntTuple toTuple(const Coordinate &coordinate) {
  if (!coordinate.isTuple())
    return coordinate.entry();
  std::vector<IntTuple> modes;
  for (const Coordinate &mode : coordinate.modes())
    modes.push_back(toTuple(mode));
  return IntTuple(std::move(modes));
}

/// Collects what `coordinate` leaves open, and the index of the rest.
class Slicer {
public:
  explicit Slicer(const Arithmetic &arithmetic) : arithmetic(arithmetic) {}

  bool visit(const Layout &layout, const Coordinate &coordinate, std::vector<Layout> &parts) {
    if (coordinate.isOpen()) {
      parts.push_back(layout);
      return true;
    }
    if (!coordinate.hasOpen()) {
      auto index = crd2idx(toTuple(coordinate), layout, arithmetic);
      if (index)
        offset = arithmetic.add(offset, *index);
      return index.has_value();
    }
    if (layout.shape().isLeaf() || layout.shape().modes().size() != coordinate.modes().size())
      return false;
    for (size_t mode = 0; mode < coordinate.modes().size(); ++mode)
      if (!visit(ModeList::mode(layout, mode), coordinate.modes()[mode], parts))
        return false;
    return true;
  }

  Int offset = 0;

private:
  const Arithmetic &arithmetic;
};

} // namespace

std::optional<Slice> slice(const Layout &layout, const Coordinate &coordinate,
                           const Arithmetic &arithmetic) {
  Slicer slicer(arithmetic);
  std::vector<Layout> parts;
  if (!slicer.visit(layout, coordinate, parts))
    return std::nullopt;
  if (coordinate.isOpen())
    return Slice{layout, 0};
  if (parts.empty())
    return Slice{*Layout::make(1, 0), slicer.offset};
  return Slice{ModeList::group(parts), slicer.offset};
}

static bool collectDiced(const Layout &layout, const Coordinate &coordinate,
                         std::vector<Layout> &parts) {
  if (coordinate.isOpen())
    return true;
  if (!coordinate.isTuple()) {
    parts.push_back(layout);
    return true;
  }
  if (layout.shape().isLeaf() || layout.shape().modes().size() != coordinate.modes().size())
    return false;
  for (size_t mode = 0; mode < coordinate.modes().size(); ++mode)
    if (!collectDiced(ModeList::mode(layout, mode), coordinate.modes()[mode], parts))
      return false;
  return true;
}

std::optional<Layout> dice(const Layout &layout, const Coordinate &coordinate) {
  std::vector<Layout> parts;
  if (!collectDiced(layout, coordinate, parts))
    return std::nullopt;
  if (parts.empty())
    return Layout::make(1, 0);
  return coordinate.isTuple() ? ModeList::group(parts) : layout;
}

std::optional<Layout> get(const Layout &layout, const std::vector<int> &path) {
  Layout result = layout;
  for (int mode : path) {
    std::vector<Layout> modes = ModeList::modesOf(result);
    if (mode < 0 || mode >= static_cast<int>(modes.size()))
      return std::nullopt;
    result = modes[mode];
  }
  return result;
}

std::optional<Layout> select(const Layout &layout, const std::vector<int> &chosen) {
  std::vector<Layout> modes = ModeList::modesOf(layout), result;
  for (int mode : chosen) {
    if (mode < 0 || mode >= static_cast<int>(modes.size()))
      return std::nullopt;
    result.push_back(modes[mode]);
  }
  return ModeList::group(result);
}

std::optional<Layout> groupModes(const Layout &layout, int begin, int end) {
  std::vector<Layout> modes = ModeList::modesOf(layout);
  if (begin < 0 || begin > end || end > static_cast<int>(modes.size()))
    return std::nullopt;
  Layout inner = ModeList::group({modes.begin() + begin, modes.begin() + end});
  modes.erase(modes.begin() + begin, modes.begin() + end);
  modes.insert(modes.begin() + begin, inner);
  return ModeList::group(modes);
}

Layout append(const Layout &layout, const Layout &mode) {
  std::vector<Layout> modes = ModeList::modesOf(layout);
  modes.push_back(mode);
  return ModeList::group(modes);
}

Layout prepend(const Layout &layout, const Layout &mode) {
  std::vector<Layout> modes = ModeList::modesOf(layout);
  modes.insert(modes.begin(), mode);
  return ModeList::group(modes);
}

Layout group(const std::vector<Layout> &modes) { return ModeList::group(modes); }

Layout flatten(const Layout &layout) {
  return *Layout::make(flatten(layout.shape()), flatten(layout.stride()));
}

Layout filterZeros(const Layout &layout) {
  std::vector<Int> extents = layout.shape().leaves(), strides = layout.stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i)
    if (strides[i].is(0))
      extents[i] = 1;
  return *Layout::make(unflatten(extents, layout.shape()), layout.stride());
}

Layout filter(const Layout &layout, const Arithmetic &arithmetic) {
  return coalesce(filterZeros(layout), arithmetic);
}

Int cosize(const Layout &layout, const Arithmetic &arithmetic) {
  std::vector<Int> extents = layout.shape().leaves(), strides = layout.stride().leaves();
  Int last(0);
  for (size_t i = 0; i < extents.size(); ++i)
    last = arithmetic.add(last, arithmetic.mul(arithmetic.add(extents[i], -1), strides[i]));
  return arithmetic.add(last, 1);
}

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
