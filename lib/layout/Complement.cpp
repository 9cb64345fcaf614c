/// Complements, and the order of modes that they need.
#include <algorithm>

#include "fairlead/layout/Algebra.h"
#include "layout/Nesting.h"

namespace fairlead::layout {
namespace {

/// Sorts modes whose strides are known only to the program. The program compares each mode with its
/// neighbour, repeatedly, and computes the sorted values.
class Sorter {
public:
  explicit Sorter(const Arithmetic &arithmetic) : arithmetic(arithmetic) {}

  void sort(std::vector<PlacedMode> &modes) const {
    for (PlacedMode &mode : modes)
      mode.stride = unlessSingle(mode);
    for (size_t end = modes.size(); end > 1; --end)
      for (size_t i = 0; i + 1 < end; ++i)
        exchange(modes[i], modes[i + 1]);
  }

private:
  /// The stride; 1 for a mode of one element, whose stride is never used.
  Int unlessSingle(const PlacedMode &mode) const {
    Int moves = arithmetic.min(arithmetic.add(mode.extent, -1), 1);
    return arithmetic.add(arithmetic.mul(moves, arithmetic.add(mode.stride, -1)), 1);
  }
  void exchange(PlacedMode &a, PlacedMode &b) const {
    Int distance = arithmetic.add(b.stride, arithmetic.mul(a.stride, -1));
    // 1 if the two are in order, and 0 if they must change places.
    Int inOrder = arithmetic.min(arithmetic.max(arithmetic.add(distance, 1), 0), 1);
    exchange(a.extent, b.extent, inOrder);
    exchange(a.weight, b.weight, inOrder);
    Int smaller = arithmetic.min(a.stride, b.stride);
    b.stride = arithmetic.max(a.stride, b.stride);
    a.stride = smaller;
  }
  void exchange(Int &a, Int &b, const Int &inOrder) const {
    Int difference = arithmetic.add(a, arithmetic.mul(b, -1)), sum = arithmetic.add(a, b);
    a = arithmetic.add(b, arithmetic.mul(inOrder, difference));
    b = arithmetic.add(sum, arithmetic.mul(a, -1));
  }

  const Arithmetic &arithmetic;
};

/// The modes that move, with their weights. Empty if one of them goes backwards, is a step along a
/// coordinate, or has no elements.
std::optional<std::vector<PlacedMode>> movingModes(const Layout &layout,
                                                   const Arithmetic &arithmetic) {
  std::vector<PlacedMode> modes;
  Int weight(1);
  for (const ModeList::Mode &mode : ModeList(coalesce(layout, arithmetic)).modes) {
    if (!mode.extent.is(1) && !mode.stride.is(0)) {
      if (mode.stride.isStep() || (mode.stride.isStatic() && mode.stride.value() < 0) ||
          (mode.extent.isStatic() && mode.extent.value() < 1))
        return std::nullopt;
      modes.push_back({mode.extent, mode.stride, weight});
    }
    weight = arithmetic.mul(weight, mode.extent);
  }
  return modes;
}

bool allStatic(const std::vector<PlacedMode> &modes) {
  return std::all_of(modes.begin(), modes.end(),
                     [](const PlacedMode &mode) { return mode.stride.isStatic(); });
}

void sortStatic(std::vector<PlacedMode> &modes) {
  std::stable_sort(modes.begin(), modes.end(), [](const PlacedMode &a, const PlacedMode &b) {
    return a.stride.value() < b.stride.value();
  });
}

} // namespace

std::optional<Nesting> Nesting::of(const Layout &layout, const Arithmetic &arithmetic) {
  auto rest = movingModes(layout, arithmetic);
  if (!rest)
    return std::nullopt;
  Nesting result;
  bool sorted = allStatic(*rest);
  if (sorted)
    sortStatic(*rest);
  while (!rest->empty()) {
    auto next = rest->begin();
    if (!sorted && rest->size() > 1) {
      // The mode that begins at the end of the last one is next. If none is known to, the program
      // sorts.
      next = std::find_if(rest->begin(), rest->end(), [&](const PlacedMode &mode) {
        return arithmetic.same(mode.stride, result.end);
      });
      if (next == rest->end()) {
        Sorter(arithmetic).sort(*rest);
        sorted = true;
        next = rest->begin();
      }
    }
    if (!result.append(*next, arithmetic))
      return std::nullopt;
    rest->erase(next);
    if (!sorted && allStatic(*rest)) {
      sortStatic(*rest);
      sorted = true;
    }
  }
  return result;
}

bool Nesting::append(const PlacedMode &mode, const Arithmetic &arithmetic) {
  // One mode must not end inside a step of another. What is not known of that is taken for granted.
  bool next = arithmetic.same(mode.stride, end);
  Int excess = next || end.is(1) ? Int(0) : arithmetic.mod(mode.stride, end);
  if (excess.isStatic() && !excess.is(0))
    return false;
  if (!excess.isStatic() && arithmetic.checks())
    arithmetic.requireZero(excess, "complement of a layout: modes lie inside each other's steps");
  gaps.push_back({next ? Int(1) : arithmetic.floorDiv(mode.stride, end), end});
  modes.push_back(mode);
  end = arithmetic.mul(mode.extent, mode.stride);
  return true;
}

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
  auto nesting = Nesting::of(layout, arithmetic);
  if (!nesting)
    return std::nullopt;
  ModeList result;
  for (const ModeList::Mode &gap : nesting->gaps)
    result.append(gap, arithmetic);
  result.append({ceilDiv(cotarget, nesting->end, arithmetic), nesting->end}, arithmetic);
  return result.layout();
}

} // namespace fairlead::layout
