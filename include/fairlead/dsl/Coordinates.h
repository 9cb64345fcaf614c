/// Tensors of coordinates. They are tiled and partitioned like the data, and their elements tell
/// which elements of the data are inside.
#pragma once

#include "fairlead/dsl/Layout.h"

namespace fairlead::dsl {

/// The tensor whose element at every coordinate of `shape` is that coordinate. Tiles that reach
/// beyond the shape have elements beyond it.
FAIRLEAD_API Tensor identityTensor(const layout::IntTuple &shape, SourceLoc at = SourceLoc::here());

/// True if each integer of `a` is less than the corresponding one of `b`. A leaf of `a` may
/// correspond to a mode of `b` and is compared with its size. Throws fairlead::Error (ValueError,
/// LayoutOperation) for tuples that do not fit.
FAIRLEAD_API Scalar elemLess(const layout::IntTuple &a, const layout::IntTuple &b,
                             SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
