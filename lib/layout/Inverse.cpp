/// Layouts back from indices to coordinates.
#include <algorithm>

#include "fairlead/layout/Algebra.h"
#include "layout/ModeList.h"
#include "layout/Nesting.h"

namespace fairlead::layout {

std::optional<Inversion> Inversion::of(const Layout &layout, const Arithmetic &arithmetic) {
  if (yieldsCoordinates(layout))
    return std::nullopt;
  ModeList flat(coalesce(layout, arithmetic));
  // The weight of each leaf's coordinate in the linear coordinate.
  std::vector<Int> weights;
  Int weight(1);
  for (const ModeList::Mode &mode : flat.modes) {
    weights.push_back(weight);
    weight = arithmetic.mul(weight, mode.extent);
  }
  ModeList result;
  Int reached(1);
  for (bool hasNext = true; hasNext;) {
    hasNext = false;
    for (size_t i = 0; i < flat.modes.size() && !hasNext; ++i) {
      ModeList::Mode &mode = flat.modes[i];
      if (mode.extent.is(1) || !arithmetic.same(mode.stride, reached))
        continue;
      result.append({mode.extent, weights[i]}, arithmetic);
      reached = arithmetic.mul(reached, mode.extent);
      mode.extent = 1; // an extent that turns out to be 1 leaves the next mode where this one is
      hasNext = true;
    }
  }
  bool reachesAll = std::all_of(flat.modes.begin(), flat.modes.end(),
                                [](const ModeList::Mode &mode) { return mode.extent.is(1); });
  return Inversion{result.layout(), reachesAll};
}

std::optional<Layout> rightInverse(const Layout &layout, const Arithmetic &arithmetic) {
  auto inversion = Inversion::of(layout, arithmetic);
  return inversion ? std::optional<Layout>(inversion->layout) : std::nullopt;
}

std::optional<Layout> leftInverse(const Layout &layout, const Arithmetic &arithmetic) {
  auto nesting = Nesting::of(layout, arithmetic);
  if (!nesting)
    return std::nullopt;
  ModeList result;
  Int beyond = size(layout, arithmetic);
  for (size_t i = 0; i < nesting->modes.size(); ++i) {
    const PlacedMode &mode = nesting->modes[i];
    result.append({nesting->gaps[i].extent, beyond}, arithmetic);
    beyond = arithmetic.mul(beyond, nesting->gaps[i].extent);
    result.append({mode.extent, mode.weight}, arithmetic);
  }
  return result.layout();
}

Layout coalesce(const Layout &layout, const Arithmetic &arithmetic) {
  ModeList result;
  for (const ModeList::Mode &mode : ModeList(layout).modes)
    result.append(mode, arithmetic);
  return result.layout();
}

std::optional<Layout> coalesce(const Layout &layout, const IntTuple &profile,
                               const Arithmetic &arithmetic) {
  if (profile.isLeaf())
    return coalesce(layout, arithmetic);
  std::vector<Layout> modes = ModeList::modesOf(layout);
  if (profile.modes().size() > modes.size())
    return std::nullopt;
  for (size_t mode = 0; mode < profile.modes().size(); ++mode) {
    auto part = coalesce(modes[mode], profile[mode], arithmetic);
    if (!part)
      return std::nullopt;
    modes[mode] = std::move(*part);
  }
  return ModeList::group(modes);
}

} // namespace fairlead::layout
