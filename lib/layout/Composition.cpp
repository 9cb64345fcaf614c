#include <algorithm>
#include <map>

#include "fairlead/layout/Algebra.h"
#include "layout/ModeList.h"

namespace fairlead::layout {
namespace {

/// Every leaf of `b` through `composer`, in the nesting of `b`.
template <typename AnyComposer>
std::optional<Layout> composeModes(AnyComposer &composer, const Layout &b) {
  if (b.shape().isLeaf())
    return composer.composeMode(b.shape().leaf(), b.stride().leaf());
  std::vector<Layout> modes;
  for (const Layout &mode : ModeList::modesOf(b)) {
    auto composed = composeModes(composer, mode);
    if (!composed)
      return std::nullopt;
    modes.push_back(std::move(*composed));
  }
  return ModeList::group(modes);
}

/// The merged modes of `a`. The last one goes on without end, so its stride counts even where its
/// extent is 1.
std::vector<ModeList::Mode> endlessModes(const Layout &a, const Arithmetic &arithmetic) {
  std::vector<ModeList::Mode> leaves = ModeList(a).modes;
  if (leaves.back().extent.is(1))
    leaves.back().extent = 2;
  ModeList merged;
  for (const ModeList::Mode &leaf : leaves)
    merged.append(leaf, arithmetic);
  return merged.modes;
}

/// Follows the modes of `b` through those of `a`.
class Composer {
public:
  Composer(const Layout &a, const Arithmetic &arithmetic)
      : a(endlessModes(a, arithmetic)), reached(this->a.size(), Int(0)), arithmetic(arithmetic) {}

  std::optional<Layout> composeMode(const Int &extent, const Int &stride) {
    // The coordinate never moves, or does not exist.
    if (extent.is(0) || stride.is(0))
      return Layout::make(extent, 0);
    if (extent.is(1))
      return composeSingle(stride);
    Rest rest{extent, stride};
    ModeList result;
    for (size_t i = 0; !rest.extent.is(1); ++i) {
      if (i + 1 == a.size()) { // the last mode goes on
        result.modes.push_back({rest.extent, arithmetic.mul(rest.stride, a[i].stride)});
        break;
      }
      bool allStatic = rest.extent.isStatic() && rest.stride.isStatic() && a[i].extent.isStatic();
      if (!(allStatic ? stepKnown(i, rest, result) : step(i, rest, result)))
        return std::nullopt;
    }
    return result.layout();
  }

  /// Requires that sums of modes of `b` do not carry into the next mode of `a`, since the result
  /// could not express that. Checks at run time the cases that are not known while composing.
  void checkCarries() const {
    Int later(1);
    for (size_t i = a.size(); i-- > 0;) {
      if (i + 1 < a.size() && !(reached[i].isStatic() && a[i].extent.isStatic()))
        require(least({notBelow0(minus(reached[i], minus(a[i].extent, 1))),
                       notBelow0(minus(later, 1)), total()}));
      later = arithmetic.mul(later, a[i].extent);
    }
  }

private:
  /// A mode of one coordinate: its stride counts where it goes on, as the last mode of a layout
  /// does. It takes the last mode of `a`.
  std::optional<Layout> composeSingle(Int stride) const {
    for (size_t i = 0; i + 1 < a.size(); ++i) {
      if (!stride.isStatic() || !a[i].extent.isStatic())
        return Layout::make(1, 0);
      stride = ceilDiv(stride, a[i].extent, arithmetic);
    }
    return Layout::make(1, arithmetic.mul(stride, a.back().stride));
  }

  /// The remaining part of a mode of `b`: the indices 0, stride, 2 * stride, ...
  struct Rest {
    Int extent, stride;
  };

  /// Takes the part that moves within mode `i` of `a`; the rest moves in multiples of that mode.
  bool stepKnown(size_t i, Rest &rest, ModeList &result) {
    int64_t extent = rest.extent.value(), stride = rest.stride.value(), limit = a[i].extent.value();
    if (stride % limit == 0) {
      rest.stride = stride / limit;
      return true;
    }
    bool staysInside = extent - 1 <= (limit - 1) / stride;
    int64_t inside = staysInside ? extent : limit / stride;
    if (!staysInside && (limit % stride != 0 || extent % inside != 0))
      return false;
    rest.extent = extent / inside;
    return take(i, inside, rest, result);
  }

  /// Does the same step for integers known only to the program.
  bool step(size_t i, Rest &rest, ModeList &result) {
    const Int limit = a[i].extent, extent = rest.extent, stride = rest.stride;
    if (stride == limit || (limit.isStatic() && stride.divisibility() % limit.value() == 0)) {
      rest.stride = arithmetic.floorDiv(stride, limit);
      return true;
    }
    if (staysInside(extent, stride, limit)) {
      rest.extent = 1;
      return take(i, extent, rest, result);
    }
    if (limit.isStatic() && stride.isStatic() && stride.value() > limit.value())
      return false;
    // Divisors are not 0 even where a layout is empty, or does not move.
    Int most = ceilDiv(limit, notBelow1(stride), arithmetic);
    if (!stride.isStatic()) // it may be 0: then all of it is here
      most = arithmetic.max(most, arithmetic.mul(extent, minus(1, arithmetic.min(stride, 1))));
    requireFit(extent, stride, limit, most);
    rest.extent = ceilDiv(extent, notBelow1(most), arithmetic);
    bool take = this->take(i, arithmetic.min(most, extent), rest, result);
    rest.stride =
        dividesInto(stride, limit) ? Int(1) : ceilDiv(stride, notBelow1(limit), arithmetic);
    return take;
  }

  /// False when the modes of `b` are known to carry into the next mode of `a`.
  bool take(size_t i, const Int &inside, Rest &rest, ModeList &result) {
    reached[i] = arithmetic.add(reached[i], arithmetic.mul(minus(inside, 1), rest.stride));
    result.modes.push_back({inside, arithmetic.mul(rest.stride, a[i].stride)});
    rest.stride = 1;
    return !reached[i].isStatic() || !a[i].extent.isStatic() ||
           reached[i].value() < a[i].extent.value();
  }

  /// Known not to reach the limit. (A limit of 0 is that of an empty layout.)
  static bool staysInside(const Int &extent, const Int &stride, const Int &limit) {
    if (stride.is(1) && extent == limit)
      return true;
    if (!extent.isStatic() || !stride.isStatic())
      return false;
    int64_t reach;
    return !__builtin_mul_overflow(extent.value(), stride.value(), &reach) &&
           dividesInto(reach, limit);
  }
  static bool dividesInto(const Int &part, const Int &whole) {
    return part.isStatic() && part.value() > 0 && whole.divisibility() % part.value() == 0;
  }

  /// One of these is to hold: a single coordinate; no movement; whole multiples of the limit;
  /// nothing beyond the limit; extent and stride divide into it; or `a` is empty.
  void requireFit(const Int &extent, const Int &stride, const Int &limit, const Int &most) const {
    if (!arithmetic.checks())
      return;
    Int last = notBelow0(minus(extent, 1));
    Int beyond = notBelow0(minus(arithmetic.mul(last, stride), minus(limit, 1)));
    Int remainders = arithmetic.add(arithmetic.mod(limit, notBelow1(stride)),
                                    arithmetic.mod(extent, notBelow1(most)));
    require(least(
        {last, stride, arithmetic.mod(stride, notBelow1(limit)), beyond, remainders, total()}));
  }

  void require(const Int &excess) const {
    if (arithmetic.checks() && !excess.isStatic())
      arithmetic.requireZero(excess, "composition of layouts: extents and strides divide");
  }

  /// The product of the extents of `a`.
  Int total() const {
    Int product(1);
    for (const ModeList::Mode &mode : a)
      product = arithmetic.mul(product, mode.extent);
    return product;
  }
  Int minus(const Int &x, const Int &y) const { return arithmetic.add(x, arithmetic.mul(y, -1)); }
  Int notBelow0(const Int &x) const { return arithmetic.max(x, 0); }
  Int notBelow1(const Int &x) const { return arithmetic.max(x, 1); }
  /// The minimum of nonnegative numbers; 0 if one of them is known to be 0.
  Int least(const std::vector<Int> &numbers) const {
    std::optional<Int> result;
    for (const Int &number : numbers) {
      if (number.is(0))
        return 0;
      if (!number.isStatic())
        result = result ? arithmetic.min(*result, number) : number;
    }
    return result.value_or(1);
  }

  std::vector<ModeList::Mode> a;
  std::vector<Int> reached; ///< by mode of `a`: the furthest that the modes of `b` go in sum
  const Arithmetic &arithmetic;
};

/// Follows modes of `b` whose strides are steps along modes of `a`, each through its own.
class ModeComposer {
public:
  ModeComposer(const Layout &a, const Arithmetic &arithmetic) : a(a), arithmetic(arithmetic) {}

  std::optional<Layout> composeMode(const Int &extent, const Int &stride) {
    if (!stride.isStep()) // a number would be an index, of the whole
      return extent.is(1) || stride.is(0) ? Layout::make(extent, 0) : std::nullopt;
    auto composer = composers.find(stride.path());
    if (composer == composers.end()) {
      auto mode = get(a, stride.path());
      if (!mode)
        return std::nullopt;
      composer = composers.try_emplace(stride.path(), *mode, arithmetic).first;
    }
    return composer->second.composeMode(extent, stride.steps());
  }

  void checkCarries() const {
    for (const auto &[path, composer] : composers)
      composer.checkCarries();
  }

private:
  const Layout &a;
  const Arithmetic &arithmetic;
  std::map<std::vector<int>, Composer> composers;
};

template <typename AnyComposer>
std::optional<Layout> composed(AnyComposer composer, const Layout &b,
                               const Arithmetic &arithmetic) {
  auto result = composeModes(composer, b);
  if (result && arithmetic.checks())
    composer.checkCarries();
  return result;
}

bool anyBelow(const IntTuple &tuple, int64_t least) {
  std::vector<Int> leaves = tuple.leaves();
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const Int &leaf) { return leaf.isStatic() && leaf.value() < least; });
}

} // namespace

std::optional<Layout> composition(const Layout &a, const Layout &b, const Arithmetic &arithmetic) {
  if (anyBelow(a.shape(), 1) || anyBelow(b.shape(), 0) || anyBelow(b.stride(), 0))
    return std::nullopt;
  if (yieldsCoordinates(b))
    return composed(ModeComposer(a, arithmetic), b, arithmetic);
  return composed(Composer(a, arithmetic), b, arithmetic);
}

} // namespace fairlead::layout
