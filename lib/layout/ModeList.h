/// A layout under construction: modes without nesting.
#pragma once

#include <vector>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {

class ModeList {
public:
  struct Mode {
    Int extent, stride;
  };

  ModeList() = default;
  /// The leaves of a layout.
  explicit ModeList(const Layout &layout);

  /// Appends a mode, merged into the last one where they are known to be one. Extent 1 is dropped.
  void append(const Mode &mode, const Arithmetic &arithmetic);
  /// One level deep; a leaf for a single mode, and 1:0 for none.
  Layout layout() const;

  /// A layout of layouts.
  static Layout group(const std::vector<Layout> &layouts);
  /// The layout of one mode.
  static Layout mode(const Layout &layout, size_t mode);
  /// The top-level modes of a layout; itself for a leaf.
  static std::vector<Layout> modesOf(const Layout &layout);

  std::vector<Mode> modes;
};

} // namespace fairlead::layout
