/// Layouts of the same memory in elements of another size, where extents are known only at run
/// time.
#pragma once

#include "fairlead/layout/ComposedLayout.h"

namespace fairlead::layout {

/// recast of fairlead/layout/Algebra.h; `arithmetic` computes dynamic extents and strides.
FAIRLEAD_API std::optional<Layout> recast(const Layout &layout, int newBits, int oldBits,
                                          const Arithmetic &arithmetic);
/// A layout, or one whose indices a swizzle or another layout maps: these map larger or smaller
/// elements then. None if they or the offset divide new elements, and for other composed layouts.
FAIRLEAD_API std::optional<ComposedLayout> recast(const ComposedLayout &layout, int newBits,
                                                  int oldBits,
                                                  const Arithmetic &arithmetic = Arithmetic());

} // namespace fairlead::layout
