/// Tensors of coordinates: they are tiled and partitioned beside the data, and their elements tell
/// which of it lies inside.
#ifndef FAIRLEAD_DSL_COORDINATES_H_
#define FAIRLEAD_DSL_COORDINATES_H_

#include "fairlead/dsl/Layout.h"

namespace fairlead::dsl {

/// Nothing is stored: the element at a coordinate is `origin` plus what the layout, whose strides
/// are steps along modes, yields there. Tiles that reach beyond the shape have elements beyond it.
class FAIRLEAD_API CoordTensor {
public:
  CoordTensor(layout::IntTuple origin, layout::Layout layout)
      : origin_(std::move(origin)), layout_(std::move(layout)) {}

  const layout::IntTuple &origin() const { return origin_; }
  const layout::Layout &layout() const { return layout_; }
  /// Throws fairlead::Error (IndexError) when the coordinate does not fit the shape.
  layout::IntTuple at(const layout::IntTuple &coordinate) const;
  /// What the coordinate leaves open.
  CoordTensor sliceAt(const layout::Coordinate &coordinate) const;
  /// `tensor<(0,0) o (4,8):(1@0,1@1)>`
  std::string str() const;

private:
  layout::IntTuple origin_;
  layout::Layout layout_;
};

/// The tensor whose element at every coordinate of `shape` is that coordinate.
FAIRLEAD_API CoordTensor identityTensor(const layout::IntTuple &shape);

/// As for tensors of data (fairlead/dsl/Layout.h).
FAIRLEAD_API CoordTensor composition(const CoordTensor &tensor, const layout::Tiler &tiler);
FAIRLEAD_API CoordTensor logicalDivide(const CoordTensor &tensor, const layout::Tiler &tiler);
FAIRLEAD_API CoordTensor zippedDivide(const CoordTensor &tensor, const layout::Tiler &tiler);
FAIRLEAD_API CoordTensor tiledDivide(const CoordTensor &tensor, const layout::Tiler &tiler);
FAIRLEAD_API CoordTensor flatDivide(const CoordTensor &tensor, const layout::Tiler &tiler);
FAIRLEAD_API CoordTensor localTile(const CoordTensor &tensor, const layout::Tiler &tiler,
                                   const layout::Coordinate &coordinate);
FAIRLEAD_API CoordTensor localPartition(const CoordTensor &tensor, const layout::Layout &threads,
                                        const Scalar &index);
FAIRLEAD_API CoordTensor domainOffset(const layout::Coordinate &coordinate,
                                      const CoordTensor &tensor);

/// True when each integer of `a` is less than the one of `b` at its place; a leaf of `a` may stand
/// for a mode of `b`, whose size counts. Throws fairlead::Error (ValueError, LayoutOperation) for
/// tuples that do not fit.
FAIRLEAD_API Scalar elemLess(const layout::IntTuple &a, const layout::IntTuple &b);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_COORDINATES_H_
