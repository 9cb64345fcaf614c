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

} // namespace fairlead::layout
