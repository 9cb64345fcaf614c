/// Elements of tensors: offsets, addresses, and accesses of several at once. Internal to lib/dsl.
#pragma once

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

/// True if the tensor has a swizzle of elements or of addresses.
bool isSwizzled(const Tensor &tensor);

/// Returns the number of contiguous elements from linear coordinate `at` on whose address is
/// aligned to their total size: 1, 2, 4, ... up to `most` and 16 bytes.
int64_t neighboursFrom(const Tensor &tensor, int64_t at, int64_t most);

/// Like neighboursFrom for any alignment: the elements of one access if the address is aligned.
int64_t runFrom(const Tensor &tensor, int64_t at, int64_t most);

/// Accesses of several neighbouring elements at once: LLVM vectorizes accesses of plain layouts,
/// but does not see that elements behind a swizzle are neighbours.

/// Loads `count` neighbouring elements: a vector, or one element in its form in memory.
mlir::Value loadTogether(Program::Impl &impl, const Tensor &tensor, int64_t at, int64_t count);
void storeTogether(Program::Impl &impl, const Tensor &tensor, int64_t at, int64_t count,
                   mlir::Value elements);

/// Copies up to `most` elements in their form in memory, from linear coordinate `at` of both sides
/// on, with one access to each. Returns their number.
int64_t moveTogether(Program::Impl &impl, const Tensor &source, const Tensor &destination,
                     int64_t at, int64_t most);

/// Loads all elements of a tensor of static shape, mode 0 fastest.
Scalars loadVectors(const Tensor &tensor);
void storeVectors(const Tensor &tensor, const Scalars &values);

/// Elements smaller than a byte, which are packed in memory, the first in the lowest bits. Complete
/// static tensors are read and written byte by byte, single elements by the bytes that hold them.

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
