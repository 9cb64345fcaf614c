/// Where the elements of tensors are, and what is known of it. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_ELEMENTACCESS_H_
#define FAIRLEAD_LIB_DSL_ELEMENTACCESS_H_

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// The place of an element, in elements from the tensor's pointer. Throws CoordinateRank where the
/// coordinate does not fit.
layout::Int placeOf(const Tensor &tensor, const layout::IntTuple &coordinate);

/// Bytes that divide the address of the element so many places on for sure, its swizzle included.
int64_t alignmentAt(const Pointer &pointer, const layout::Int &place);

/// The address of the element so many places on, where the pointer's swizzle puts it.
mlir::Value emitAddress(Program::Impl &impl, const Pointer &pointer, const layout::Int &place);

/// The pointer so many elements on. Throws SubByteElement where that is within a byte.
Pointer moved(const Pointer &pointer, const layout::Int &place);

/// Throws StoreType for a float that is to be stored to integers.
void requireStorable(const Scalar &value, DType type);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ELEMENTACCESS_H_
