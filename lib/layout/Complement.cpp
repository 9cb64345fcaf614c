/// Complements and inverses.
#include <algorithm>

#include "fairlead/layout/Algebra.h"
#include "layout/ModeList.h"

namespace fairlead::layout {
namespace {

/// The modes that move, by stride; none unless they are static and positive.
std::optional<std::vector<ModeList::Mode>> movingModes(const Layout &layout) {
  std::vector<ModeList::Mode> modes;
  for (const ModeList::Mode &mode : ModeList(layout).modes) {
    if (!mode.extent.isStatic() || !mode.stride.isStatic() || mode.stride.isStep() ||
        mode.stride.value() < 0 || mode.extent.value() < 1)
      return std::nullopt;
    if (!mode.extent.is(1) && !mode.stride.is(0))
      modes.push_back(mode);
  }
  std::stable_sort(modes.begin(), modes.end(), [](const auto &a, const auto &b) {
    return a.stride.value() < b.stride.value();
  });
  return modes;
}

} // namespace

Int ceilDiv(const Int &a, const Int &b, const Arithmetic &arithmetic) {
  if (b.is(1))
    return a;
  // A dividend that is a multiple needs no rounding.
  if (b.isStatic() && a.divisibility() % b.value() == 0)
    return arithmetic.floorDiv(a, b);
  return arithmetic.floorDiv(arithmetic.add(a, arithmetic.add(b, -1)), b);
}

std::optional<Layout> complement(const Layout &layout, const Int &cotarget,
                                 const Arithmetic &arithmetic) {
  auto modes = movingModes(layout);
  if (!modes)
    return std::nullopt;
  ModeList result;
  int64_t reached = 1;
  for (const ModeList::Mode &mode : *modes) {
    if (mode.stride.value() % reached != 0)
      return std::nullopt; // one mode ends inside a step of another
    result.append({mode.stride.value() / reached, reached}, arithmetic);
    reached = mode.extent.value() * mode.stride.value();
  }
  result.append({ceilDiv(cotarget, reached, arithmetic), reached}, arithmetic);
  return result.layout();
}

std::optional<Layout> rightInverse(const Layout &layout) {
  if (!layout.isStatic() || yieldsCoordinates(layout))
    return std::nullopt;
  ModeList flat(coalesce(layout));
  // Where each leaf's coordinate begins in the linear one.
  std::vector<int64_t> weights;
  int64_t weight = 1;
  for (const ModeList::Mode &mode : flat.modes) {
    weights.push_back(weight);
    weight *= mode.extent.value();
  }
  ModeList result;
  int64_t reached = 1;
  for (bool found = true; found;) {
    found = false;
    for (size_t i = 0; i < flat.modes.size() && !found; ++i)
      if (flat.modes[i].stride.is(reached) && !flat.modes[i].extent.is(1)) {
        result.append({flat.modes[i].extent, weights[i]}, Arithmetic());
        reached *= flat.modes[i].extent.value();
        found = true;
      }
  }
  return result.layout();
}

std::optional<Layout> leftInverse(const Layout &layout) {
  auto rest = complement(layout, 1);
  if (!rest || !layout.isStatic())
    return std::nullopt;
  return rightInverse(ModeList::group({layout, *rest}));
}

} // namespace fairlead::layout
