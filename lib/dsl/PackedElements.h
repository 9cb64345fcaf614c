/// Elements of less than a byte, which lie packed in memory, the first in the lowest bits. Whole
/// static tensors of them are read and written byte by byte, single ones by the bytes that hold
/// them. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_PACKEDELEMENTS_H_
#define FAIRLEAD_LIB_DSL_PACKEDELEMENTS_H_

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// True for tensors whose elements share bytes: of 6 and 4 bits, outside of registers.
bool isPacked(const Pointer &pointer);
bool isPacked(const Tensor &tensor);
/// Throws SubByteElement where `elements` elements are not known to be whole bytes.
void requireWholeBytes(const Pointer &pointer, const layout::Int &elements);

/// All elements of a packed tensor of a static shape, mode 0 fastest.
Scalars loadPacked(const Tensor &tensor);
/// Throws SubByteElement where the elements do not fill whole bytes and other threads may write
/// their other bits: in kernels. Host functions keep those.
void storePacked(const Tensor &tensor, const Scalars &values);

/// The element so many elements from the first.
Scalar loadPackedAt(const Tensor &tensor, const Scalar &offset);
/// Throws SubByteElement in kernels, as storePacked.
void storePackedAt(const Tensor &tensor, const Scalar &offset, const Scalar &value);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_PACKEDELEMENTS_H_
