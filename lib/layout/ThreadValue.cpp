/// Tiles divided among threads.
#include "fairlead/layout/Algebra.h"
#include "layout/Nesting.h"

namespace fairlead::layout {

IntTuple productEach(const IntTuple &shape, const Arithmetic &arithmetic) {
  if (shape.isLeaf())
    return shape;
  std::vector<IntTuple> extents;
  for (const IntTuple &mode : shape.modes())
    extents.push_back(size(mode, arithmetic));
  return IntTuple(std::move(extents));
}

/// Splits a layout after its modes that count up to `count`. Empty if no mode is known to end
/// there.
static std::optional<Layout> splitAt(const Layout &layout, const Int &count,
                                     const Arithmetic &arithmetic) {
  ModeList first, second;
  Int reached(1);
  bool isSecond = arithmetic.same(reached, count);
  for (const ModeList::Mode &mode : ModeList(layout).modes) {
    (isSecond ? second : first).append(mode, arithmetic);
    reached = arithmetic.mul(reached, mode.extent);
    isSecond = isSecond || arithmetic.same(reached, count);
  }
  if (!isSecond)
    return std::nullopt;
  return ModeList::group({first.layout(), second.layout()});
}

std::optional<ThreadValues> threadValues(const Layout &threads, const Layout &values,
                                         const Arithmetic &arithmetic) {
  auto tile = rakedProduct(threads, values, arithmetic);
  auto inverse = tile ? Inversion::of(*tile, arithmetic) : std::nullopt;
  // One-to-one: every element belongs to one thread and value.
  if (!inverse || !inverse->reachesAll)
    return std::nullopt;
  Int count = size(threads, arithmetic), each = size(values, arithmetic);
  // A known border between thread and value modes needs no computation.
  auto elements =
      inverse->layout.isStatic() ? std::nullopt : splitAt(inverse->layout, count, arithmetic);
  if (!elements)
    elements = composition(inverse->layout, Layout(tuple(count, each), arithmetic), arithmetic);
  if (!elements)
    return std::nullopt;
  return ThreadValues{productEach(tile->shape(), arithmetic), *elements};
}

} // namespace fairlead::layout
