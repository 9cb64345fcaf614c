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

std::optional<ThreadValues> threadValues(const Layout &threads, const Layout &values,
                                         const Arithmetic &arithmetic) {
  auto tile = rakedProduct(threads, values, arithmetic);
  auto inverse = tile ? Inversion::of(*tile, arithmetic) : std::nullopt;
  // One-to-one: every element belongs to one thread and value.
  if (!inverse || !inverse->whole)
    return std::nullopt;
  Layout each(tuple(size(threads, arithmetic), size(values, arithmetic)), arithmetic);
  auto elements = composition(inverse->layout, each, arithmetic);
  if (!elements)
    return std::nullopt;
  return ThreadValues{productEach(tile->shape(), arithmetic), *elements};
}

} // namespace fairlead::layout
