/// The modes of a layout from the inside out.
#pragma once

#include <optional>
#include <vector>

#include "layout/ModeList.h"

namespace fairlead::layout {

/// A mode that moves; `weight` is where its coordinate begins in the linear one.
struct PlacedMode {
  Int extent, stride, weight;
};

/// Modes by stride. Each begins at the end of the previous one, or after a gap.
struct Nesting {
  /// Empty for negative strides, steps, and modes that are known to overlap. If the order is
  /// unknown, the program computes it, and modes are dynamic.
  static std::optional<Nesting> of(const Layout &layout, const Arithmetic &arithmetic);

  std::vector<PlacedMode> modes;
  std::vector<ModeList::Mode> gaps; ///< before each mode: how often, and how far apart
  Int end = 1;                      ///< where the last mode ends

private:
  bool append(const PlacedMode &mode, const Arithmetic &arithmetic);
};

/// rightInverse, and whether it is known to reach every coordinate of the layout.
struct Inversion {
  static std::optional<Inversion> of(const Layout &layout, const Arithmetic &arithmetic);

  Layout layout;
  bool reachesAll;
};

} // namespace fairlead::layout
