/// Elements of less than a byte, which lie packed in memory, the first in the lowest bits. Whole
/// static tensors of them are read and written byte by byte. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_PACKEDELEMENTS_H_
#define FAIRLEAD_LIB_DSL_PACKEDELEMENTS_H_

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// True for tensors whose elements share bytes: of 6 and 4 bits, outside of registers.
bool isPacked(const Tensor &tensor);
/// Throws SubByteElement where `elements` elements are not known to be whole bytes.
void requireWholeBytes(const Tensor &tensor, const layout::Int &elements);

/// All elements of a packed tensor of a static shape, mode 0 fastest.
Scalars loadPacked(const Tensor &tensor);
/// Throws SubByteElement where the elements do not fill whole bytes: their other bits may be
/// another thread's.
void storePacked(const Tensor &tensor, const Scalars &values);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_PACKEDELEMENTS_H_
