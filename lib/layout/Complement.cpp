/// Complements and inverses.
#include <algorithm>
#include <functional>

#include "fairlead/layout/Algebra.h"
#include "layout/ModeList.h"

namespace fairlead::layout {
namespace {

/// The modes that move, by stride, where that tells which lies inside which: none for strides that
/// are negative, steps, or known only when the program runs (but for a single mode).
std::optional<std::vector<ModeList::Mode>> movingModes(const Layout &layout,
                                                       const Arithmetic &arithmetic) {
  std::vector<ModeList::Mode> modes = ModeList(filter(layout, arithmetic)).modes;
  auto moves = [](const ModeList::Mode &mode) { return !mode.extent.is(1) && !mode.stride.is(0); };
  modes.erase(std::remove_if(modes.begin(), modes.end(), std::not_fn(moves)), modes.end());
  for (const ModeList::Mode &mode : modes) {
    const Int &extent = mode.extent, &stride = mode.stride;
    if (stride.isStep() || (!stride.isStatic() && modes.size() > 1) ||
        (stride.isStatic() && stride.value() < 0) || (extent.isStatic() && extent.value() < 1))
      return std::nullopt;
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
  if (b.is(0))
    return 0; // as floorDiv
  if (a == b && !a.isStatic())
    return 1;
  // A dividend that is a multiple needs no rounding.
  if (b.isStatic() && a.divisibility() % b.value() == 0)
    return arithmetic.floorDiv(a, b);
  return arithmetic.floorDiv(arithmetic.add(a, arithmetic.add(b, -1)), b);
}

std::optional<Layout> complement(const Layout &layout, const Int &cotarget,
                                 const Arithmetic &arithmetic) {
  auto modes = movingModes(layout, arithmetic);
  if (!modes)
    return std::nullopt;
  ModeList result;
  Int reached(1);
  for (const ModeList::Mode &mode : *modes) {
    // One mode must not end inside a step of another. Where an extent is known only when the
    // program runs, that is taken for granted.
    Int excess = reached.is(1) ? Int(0) : arithmetic.mod(mode.stride, reached);
    if (excess.isStatic() && !excess.is(0))
      return std::nullopt;
    if (!excess.isStatic() && arithmetic.checks())
      arithmetic.requireZero(excess, "complement of a layout: modes lie inside each other's steps");
    result.append({arithmetic.floorDiv(mode.stride, reached), reached}, arithmetic);
    reached = arithmetic.mul(mode.extent, mode.stride);
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
