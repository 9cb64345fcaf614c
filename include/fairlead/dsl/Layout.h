/// The layout algebra of traced programs: fairlead/layout on integers that are static or values of
/// the program.
#pragma once

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// An extent or a stride: a literal is static, a value of the program dynamic, also a constant of
/// it. Integers of other widths than 32 and 64 bits are converted. Throws fairlead::Error
/// (TypeError) for a float.
FAIRLEAD_API layout::Int toInt(const Scalar &scalar);
/// toInt for an entry of a coordinate. Constants of the program are static here, because the value
/// of a coordinate decides how elements are accessed.
FAIRLEAD_API layout::Int toIndex(const Scalar &scalar);
/// A factor of the value that is known without its number: 1 for a constant of the program without
/// assumptions.
FAIRLEAD_API int64_t knownFactor(const Scalar &scalar);
/// The value, with the caller's word that it is a multiple of `divisor`: wider accesses may follow
/// from it.
FAIRLEAD_API Scalar assume(const Scalar &value, int64_t divisor);
/// The inverse: a literal, or an Int32 or Int64 value.
FAIRLEAD_API Scalar toScalar(const layout::Int &value);

/// Computes dynamic values in the program being traced. Assumes that dividends are not negative.
/// `width`: the least width of sums and products, 32 or 64 (layout::Arithmetic).
FAIRLEAD_API const layout::Arithmetic &arithmetic(int width = 32);

/// A tensor of the layout whose first element is at the pointer. For a composed layout with a
/// swizzle, the element with index i is at swizzle(offset + i). Throws fairlead::Error (ValueError,
/// LayoutOperation) for layouts that yield coordinates, for other functions, and for a swizzle on
/// top of the pointer's swizzle.
FAIRLEAD_API Tensor makeTensor(const Pointer &pointer, const layout::ComposedLayout &layout,
                               SourceLoc at = SourceLoc::here());

/// The tensor's elements or coordinates, divided: see fairlead/layout/Algebra.h. Throw
/// fairlead::Error (ValueError, LayoutOperation) when the tiler does not fit the tensor's layout.
FAIRLEAD_API Tensor composition(const Tensor &tensor, const layout::Tiler &tiler,
                                SourceLoc at = SourceLoc::here());
FAIRLEAD_API Tensor logicalDivide(const Tensor &tensor, const layout::Tiler &tiler,
                                  SourceLoc at = SourceLoc::here());
FAIRLEAD_API Tensor zippedDivide(const Tensor &tensor, const layout::Tiler &tiler,
                                 SourceLoc at = SourceLoc::here());
FAIRLEAD_API Tensor tiledDivide(const Tensor &tensor, const layout::Tiler &tiler,
                                SourceLoc at = SourceLoc::here());
FAIRLEAD_API Tensor flatDivide(const Tensor &tensor, const layout::Tiler &tiler,
                               SourceLoc at = SourceLoc::here());

/// The tile at `coordinate` (an entry for each mode that is tiled; open ones stay): zippedDivide,
/// then the tile's modes with the rest sliced.
FAIRLEAD_API Tensor localTile(const Tensor &tensor, const layout::Tiler &tiler,
                              const layout::Coordinate &coordinate,
                              SourceLoc at = SourceLoc::here());
/// Element `index` of every tile: the part of the tensor that a thread works on.
FAIRLEAD_API Tensor localPartition(const Tensor &tensor, const layout::Layout &threads,
                                   const Scalar &index, SourceLoc at = SourceLoc::here());
/// The tensor from `coordinate` on, with its layout as it is.
FAIRLEAD_API Tensor domainOffset(const layout::Coordinate &coordinate, const Tensor &tensor,
                                 SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
