#include "fairlead/layout/Like.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fairlead/layout/Algebra.h"
#include "layout/ModeList.h"
#include "layout/Nesting.h"

namespace fairlead::layout {
namespace {

/// The position of a stride in the order. Unknown strides are the slowest.
int64_t rankOf(const Int &stride) {
  return stride.isStatic() && !stride.isStep() ? stride.value()
                                               : std::numeric_limits<int64_t>::max();
}

/// The leaves of `layout` by their strides, from the smallest to the largest.
std::vector<size_t> byStride(const Layout &layout) {
  std::vector<Int> strides = layout.stride().leaves();
  std::vector<size_t> order(strides.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rankOf(strides[a]) < rankOf(strides[b]); });
  return order;
}

/// `layout`'s shape with the strides of a compact layout whose leaves run in `order`, the first one
/// with stride `reached`, which is moved behind the last one.
Layout compacted(const Layout &layout, const std::vector<size_t> &order, bool keepZeros,
                 Int &reached, const Arithmetic &arithmetic) {
  std::vector<Int> extents = layout.shape().leaves(), given = layout.stride().leaves();
  std::vector<Int> strides(extents.size());
  for (size_t leaf : order) {
    if (extents[leaf].is(1) || (keepZeros && given[leaf].is(0)))
      continue;
    strides[leaf] = reached;
    reached = arithmetic.mul(reached, extents[leaf]);
  }
  return *Layout::make(layout.shape(), unflatten(strides, layout.shape()));
}

} // namespace

Layout layoutLike(const Layout &layout, const Arithmetic &arithmetic) {
  Int reached(1);
  return compacted(layout, byStride(layout), true, reached, arithmetic);
}

Layout fragmentLayout(const Layout &layout, const Arithmetic &arithmetic) {
  std::vector<Layout> modes = ModeList::modesOf(layout);
  if (modes.size() < 2 || !layout.shape().isStatic())
    return Layout(layout.shape(), arithmetic);
  Layout rest = ModeList::group({modes.begin() + 1, modes.end()});
  std::vector<size_t> order(modes[0].shape().leaves().size());
  std::iota(order.begin(), order.end(), 0);
  Int reached(1);
  std::vector<Layout> all{compacted(modes[0], order, true, reached, arithmetic)};
  for (const Layout &mode :
       ModeList::modesOf(compacted(rest, byStride(rest), false, reached, arithmetic)))
    all.push_back(mode);
  return ModeList::group(all);
}

std::optional<Layout> maxCommonLayout(const Layout &a, const Layout &b,
                                      const Arithmetic &arithmetic) {
  auto inverse = rightInverse(b, arithmetic);
  auto mapped = inverse ? composition(a, *inverse, arithmetic) : std::nullopt;
  if (!mapped)
    return std::nullopt;
  Layout first = ModeList::modesOf(coalesce(*mapped, arithmetic)).front();
  if (!first.shape().isLeaf() || !first.shape().leaf().isStatic() || !first.stride().leaf().is(1))
    return Layout::make(1, 0);
  // Composition goes on beyond the last element of `a`.
  Int count = size(a, arithmetic), extent = first.shape().leaf();
  if (count.isStatic() && count.value() < extent.value())
    extent = count;
  return composition(*inverse, Layout(extent), arithmetic);
}

// Tiles divided among threads.

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
