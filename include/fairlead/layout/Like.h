/// Layouts made after others: of the same shape in memory of their own, and what two layouts share.
#pragma once

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {

/// A compact layout of the same shape whose modes run in the order of the strides of `layout`.
/// Modes of equal stride run from left to right. So do modes whose strides are dynamic or step
/// along coordinates, which are the slowest. Modes of stride 0 keep it.
FAIRLEAD_API Layout layoutLike(const Layout &layout, const Arithmetic &arithmetic = Arithmetic());

/// A compact layout of the same shape for the registers of a fragment. Mode 0, the values of an
/// instruction, is the fastest; it keeps its order, without its modes of stride 0. The other modes
/// run in the order of their strides, as for layoutLike. If an extent is dynamic, the layout is
/// compact with mode 0 fastest.
FAIRLEAD_API Layout fragmentLayout(const Layout &layout,
                                   const Arithmetic &arithmetic = Arithmetic());

/// The longest layout of consecutive coordinates that `a` and `b` both map to consecutive indices:
/// a run that can be copied at once. 1:0 if the longest run has one element.
FAIRLEAD_API std::optional<Layout> maxCommonLayout(const Layout &a, const Layout &b,
                                                   const Arithmetic &arithmetic = Arithmetic());
/// The number of elements in maxCommonLayout.
inline std::optional<Int> maxCommonVector(const Layout &a, const Layout &b,
                                          const Arithmetic &arithmetic = Arithmetic()) {
  auto common = maxCommonLayout(a, b, arithmetic);
  return common ? std::optional<Int>(size(*common, arithmetic)) : std::nullopt;
}

} // namespace fairlead::layout
