/// The leaves of a tuple, without a copy of them.
#pragma once

#include "fairlead/layout/IntTuple.h"

namespace fairlead::layout {

/// Calls `visit` with each leaf from left to right.
template <typename Visit> void forEachLeaf(const IntTuple &tuple, const Visit &visit) {
  if (tuple.isLeaf())
    return visit(tuple.leaf());
  for (const IntTuple &mode : tuple.modes())
    forEachLeaf(mode, visit);
}

} // namespace fairlead::layout
