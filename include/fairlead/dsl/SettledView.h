/// Parts of swizzled tensors as plain tensors.
#pragma once

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// Returns the elements of `tensor` in a plain layout from the address of its first element on.
/// `tensor` is a part of a larger tensor whose layout has a swizzle and steps that are powers of
/// two. Each mode that the swizzle moves becomes modes of extent 2, whose steps depend on the first
/// element's place. If modes change both bits of one exclusive or, or if steps or extents are not
/// powers of two, the layout keeps its swizzle, and only the bits of the first element's offset
/// that the swizzle does not see go to the address.
FAIRLEAD_API Tensor settled(const Tensor &tensor);

} // namespace fairlead::dsl
