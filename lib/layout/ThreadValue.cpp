/// Tiles divided among threads.
#include "fairlead/layout/Algebra.h"

namespace fairlead::layout {

IntTuple productEach(const IntTuple &shape, const Arithmetic &arithmetic) {
  if (shape.isLeaf())
    return shape;
  std::vector<IntTuple> extents;
  for (const IntTuple &mode : shape.modes())
    extents.push_back(size(mode, arithmetic));
  return IntTuple(std::move(extents));
}

std::optional<ThreadValues> threadValues(const Layout &threads, const Layout &values) {
  auto tile = rakedProduct(threads, values);
  if (!tile || !threads.isStatic() || !values.isStatic())
    return std::nullopt;
  auto inverse = rightInverse(*tile);
  // One-to-one: every element belongs to one thread and value.
  if (!inverse || size(*inverse) != size(*tile))
    return std::nullopt;
  auto elements = composition(*inverse, Layout(tuple(size(threads), size(values))));
  if (!elements)
    return std::nullopt;
  return ThreadValues{productEach(tile->shape()), *elements};
}

} // namespace fairlead::layout
