/// Elements smaller than a byte, which are packed in memory, the first in the lowest bits. Complete
/// static tensors are read and written byte by byte, single elements by the bytes that hold them.
/// Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_MEMORY_PACKEDELEMENTS_H_
#define FAIRLEAD_LIB_DSL_MEMORY_PACKEDELEMENTS_H_

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// True if elements share bytes: elements of 6 and 4 bits outside of registers.
bool isPacked(const Pointer &pointer);
bool isPacked(const Tensor &tensor);
/// Throws SubByteElement unless `elements` elements provably fill complete bytes.
void requireWholeBytes(const Pointer &pointer, const layout::Int &elements);

/// Loads all elements of a packed tensor of static shape, mode 0 fastest.
Scalars loadPacked(const Tensor &tensor);
/// Throws SubByteElement in kernels if the elements do not fill all bytes, because other threads
/// may write the remaining bits. Host functions keep those bits.
void storePacked(const Tensor &tensor, const Scalars &values);

/// Loads the element at an offset in elements from the first.
Scalar loadPackedAt(const Tensor &tensor, const Scalar &offset);
/// Throws SubByteElement in kernels, as storePacked.
void storePackedAt(const Tensor &tensor, const Scalar &offset, const Scalar &value);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_MEMORY_PACKEDELEMENTS_H_
