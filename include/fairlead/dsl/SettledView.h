/// Parts of swizzled tensors as plain tensors.
#ifndef FAIRLEAD_DSL_SETTLEDVIEW_H_
#define FAIRLEAD_DSL_SETTLEDVIEW_H_

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// The same elements as `tensor`, a part of a larger one whose layout has a swizzle and steps that
/// are powers of two, from the address of its first element on: as a plain layout, in which modes
/// that the swizzle moves are modes of 2 with steps that the first element's place decides. Where
/// modes change both bits of one exclusive or, or steps or extents are no powers of two, it is
/// `tensor` itself.
FAIRLEAD_API Tensor settled(const Tensor &tensor);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_SETTLEDVIEW_H_
