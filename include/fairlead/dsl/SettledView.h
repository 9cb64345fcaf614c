/// Parts of swizzled tensors as plain tensors.
#ifndef FAIRLEAD_DSL_SETTLEDVIEW_H_
#define FAIRLEAD_DSL_SETTLEDVIEW_H_

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// The same elements as `tensor`, a part of a larger one whose layout has a swizzle, from the
/// address of its first element on: as a plain layout, whose modes along which the swizzle changes
/// are modes of 2 with steps that the first element's place decides. Where modes change both bits
/// of one exclusive or, or none of them is a power of two, it is `tensor` itself.
FAIRLEAD_API Tensor settled(const Tensor &tensor);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_SETTLEDVIEW_H_
