#include <algorithm>

#include "layout/ModeList.h"

namespace fairlead::layout {
namespace {

/// Follows the modes of `b` through those of `a`.
class Composer {
public:
  Composer(const Layout &a, const Arithmetic &arithmetic)
      : a(ModeList(coalesce(a, arithmetic)).modes), reached(this->a.size()),
        arithmetic(arithmetic) {}

  std::optional<Layout> compose(const Layout &b) {
    if (b.shape().isLeaf())
      return composeMode(b.shape().leaf(), b.stride().leaf());
    std::vector<Layout> modes;
    for (size_t mode = 0; mode < b.shape().modes().size(); ++mode) {
      auto composed = compose(ModeList::mode(b, mode));
      if (!composed)
        return std::nullopt;
      modes.push_back(std::move(*composed));
    }
    return ModeList::group(modes);
  }

private:
  /// The indices 0, stride, 2 * stride, ...
  std::optional<Layout> composeMode(const Int &extent, const Int &stride) {
    if (a.size() == 1)
      return alongOneMode(extent, stride);
    if (!extent.isStatic() || !stride.isStatic())
      return std::nullopt;
    return composeStatic(extent.value(), stride.value());
  }

  /// A single mode of `a` goes on in its stride: nothing needs to be known of its extent.
  std::optional<Layout> alongOneMode(const Int &extent, const Int &stride) {
    if (extent.is(0) || extent.is(1) || stride.is(0))
      return Layout::make(extent, 0);
    return Layout::make(extent, arithmetic.mul(stride, a[0].stride));
  }

  std::optional<Layout> composeStatic(int64_t extent, int64_t stride) {
    // A coordinate that never moves, or of which there is none.
    if (extent == 0 || (stride == 0 && extent != 1))
      return Layout::make(extent, 0);
    ModeList result;
    for (size_t i = 0; extent != 1; ++i) {
      bool last = i + 1 == a.size();
      if (!last && !a[i].extent.isStatic())
        return std::nullopt;
      int64_t limit = last ? 0 : a[i].extent.value(); // the last mode goes on
      if (!last && stride % limit == 0) {
        stride /= limit;
        continue;
      }
      // What moves within this mode of `a`; the rest moves in whole multiples of it.
      bool staysInside = last || extent - 1 <= (limit - 1) / stride;
      int64_t inside = staysInside ? extent : limit / stride;
      if (!staysInside && (limit % stride != 0 || extent % inside != 0))
        return std::nullopt;
      // Modes of `b` whose sum carries into the next mode of `a` are no sum in the result.
      if (!last && (reached[i] += (inside - 1) * stride) >= limit)
        return std::nullopt;
      result.modes.push_back({inside, arithmetic.mul(stride, a[i].stride)});
      extent /= inside;
      stride = 1;
    }
    return result.layout();
  }

  std::vector<ModeList::Mode> a;
  std::vector<int64_t> reached; ///< by mode of `a`: the furthest that the modes of `b` go in sum
  const Arithmetic &arithmetic;
};

bool anyBelow(const IntTuple &tuple, int64_t least) {
  std::vector<Int> leaves = tuple.leaves();
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const Int &leaf) { return leaf.isStatic() && leaf.value() < least; });
}

} // namespace

std::optional<Layout> composition(const Layout &a, const Layout &b, const Arithmetic &arithmetic) {
  if (yieldsCoordinates(b) || anyBelow(a.shape(), 1) || anyBelow(b.shape(), 0) ||
      anyBelow(b.stride(), 0))
    return std::nullopt;
  return Composer(a, arithmetic).compose(b);
}

} // namespace fairlead::layout
