/// Offsets and addresses of the elements of tensors. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_MEMORY_ELEMENTACCESS_H_
#define FAIRLEAD_LIB_DSL_MEMORY_ELEMENTACCESS_H_

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Returns the offset of an element, in elements from the tensor's pointer. Throws CoordinateRank
/// if the coordinate does not fit.
layout::Int offsetOf(const Tensor &tensor, const layout::IntTuple &coordinate);

/// Returns a number of bytes that divides the address of the element at this offset, swizzled.
int64_t alignmentAt(const Pointer &pointer, const layout::Int &place);

/// Emits the address of the element at this offset, with the pointer's swizzle applied.
mlir::Value emitAddress(Program::Impl &impl, const Pointer &pointer, const layout::Int &place);

/// Emits the address of the byte that the element at this offset begins, swizzled, for instructions
/// that move whole bytes. Throws SubByteElement if a packed element may begin within a byte.
mlir::Value emitByteAddress(Program::Impl &impl, const Pointer &pointer, const layout::Int &place);

/// Advances the pointer by this many elements. Throws SubByteElement if that is within a byte.
Pointer moved(const Pointer &pointer, const layout::Int &place);

/// Throws StoreType if a float would be stored to integers.
void requireStorable(const Scalar &value, DType type);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_MEMORY_ELEMENTACCESS_H_
