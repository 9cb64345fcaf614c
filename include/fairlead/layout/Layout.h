/// Layouts: functions from coordinates to indices, as a shape and strides. Coordinates count
/// colexicographically: the first mode is the fastest.
#ifndef FAIRLEAD_LAYOUT_LAYOUT_H_
#define FAIRLEAD_LAYOUT_LAYOUT_H_

#include <optional>
#include <string>

#include "fairlead/layout/IntTuple.h"

namespace fairlead::layout {

/// Strides of a compact layout of `shape`, first mode fastest.
FAIRLEAD_API IntTuple compactColMajor(const IntTuple &shape,
                                      const Arithmetic &arithmetic = Arithmetic());
/// Strides of a compact layout of `shape`, last mode fastest.
FAIRLEAD_API IntTuple compactRowMajor(const IntTuple &shape,
                                      const Arithmetic &arithmetic = Arithmetic());
/// Strides of a compact layout whose modes are ordered by `order`, the smallest fastest; equal ones
/// from left to right. A leaf of `order` may stand for a nested mode. None when `order` is not
/// static or not nested like `shape`.
FAIRLEAD_API std::optional<IntTuple> compactOrdered(const IntTuple &shape, const IntTuple &order,
                                                    const Arithmetic &arithmetic = Arithmetic());

class FAIRLEAD_API Layout {
public:
  /// Compact, first mode fastest.
  explicit Layout(const IntTuple &shape, const Arithmetic &arithmetic = Arithmetic());
  /// None unless shape and stride are congruent.
  static std::optional<Layout> make(IntTuple shape, IntTuple stride);
  /// compactOrdered as a layout.
  static std::optional<Layout> ordered(const IntTuple &shape, const IntTuple &order,
                                       const Arithmetic &arithmetic = Arithmetic());

  const IntTuple &shape() const { return shape_; }
  const IntTuple &stride() const { return stride_; }
  bool isStatic() const { return shape_.isStatic() && stride_.isStatic(); }
  /// `(4,8):(8,1)`
  std::string str() const { return shape_.str() + ":" + stride_.str(); }

  friend bool operator==(const Layout &a, const Layout &b) {
    return a.shape_ == b.shape_ && a.stride_ == b.stride_;
  }
  friend bool operator!=(const Layout &a, const Layout &b) { return !(a == b); }

private:
  friend class ModeList;
  Layout(IntTuple shape, IntTuple stride) : shape_(std::move(shape)), stride_(std::move(stride)) {}

  IntTuple shape_, stride_;
};

/// The number of coordinates.
inline Int size(const Layout &layout, const Arithmetic &arithmetic = Arithmetic()) {
  return size(layout.shape(), arithmetic);
}
inline int rank(const Layout &layout) { return rank(layout.shape()); }
inline int depth(const Layout &layout) { return depth(layout.shape()); }

/// The index of a coordinate, of a layout that yields indices: a linear one, a flat one (an entry
/// per mode) or any nesting up to the shape's own. Coordinates beyond the last mode's extent go on
/// in its stride. None when the coordinate is nested deeper than the shape, or has another number
/// of modes.
FAIRLEAD_API std::optional<Int> crd2idx(const IntTuple &coordinate, const Layout &layout,
                                        const Arithmetic &arithmetic = Arithmetic());
/// The coordinate, nested like `shape`, that a coordinate of less nesting stands for; a linear one
/// above all. The last mode takes what is left over. None where crd2idx has none.
FAIRLEAD_API std::optional<IntTuple> idx2crd(const IntTuple &coordinate, const IntTuple &shape,
                                             const Arithmetic &arithmetic = Arithmetic());

/// The coordinate, nested as the layout is, at which a layout of distinct strides yields `index`:
/// leaf by leaf what remains of index / stride within the extent; 0 where a mode does not move.
FAIRLEAD_API IntTuple hierarchicalCoordinate(const Int &index, const Layout &layout,
                                             const Arithmetic &arithmetic = Arithmetic());
/// The same with one linear entry for each mode.
FAIRLEAD_API IntTuple flatCoordinate(const Int &index, const Layout &layout,
                                     const Arithmetic &arithmetic = Arithmetic());

/// The layout whose value at a coordinate is that coordinate: strides are steps along the modes of
/// `shape`.
FAIRLEAD_API Layout identityLayout(const IntTuple &shape);
/// True when a stride is a step along a mode: the layout's values are coordinates, not indices.
FAIRLEAD_API bool yieldsCoordinates(const Layout &layout);
/// The coordinate of zeros that is nested as those that such a layout yields, as far as its strides
/// tell.
FAIRLEAD_API IntTuple originOf(const Layout &layout);
/// What such a layout yields at a coordinate, added to `origin`, which is nested as the coordinates
/// are. None where crd2idx has none, or for a step along a mode that `origin` lacks.
FAIRLEAD_API std::optional<IntTuple> coordinateAt(const IntTuple &coordinate, const Layout &layout,
                                                  const IntTuple &origin,
                                                  const Arithmetic &arithmetic = Arithmetic());

/// The same function of linear coordinates in the fewest modes that are known to do, at most one
/// level deep. Modes of extent 1 vanish.
FAIRLEAD_API Layout coalesce(const Layout &layout, const Arithmetic &arithmetic = Arithmetic());
/// The same within each mode: the leaves of `profile` stand for what is coalesced. None when it is
/// not weakly congruent to the layout's shape.
FAIRLEAD_API std::optional<Layout> coalesce(const Layout &layout, const IntTuple &profile,
                                            const Arithmetic &arithmetic = Arithmetic());

/// The layout c -> a(b(c)), wherever b(c) is below the size of `a`; nested like `b` or deeper.
/// None when `b` does not fit the modes of `a`: an extent or a stride that does not divide into
/// them, or modes of `b` that together carry from one mode of `a` into the next.
///
/// Where that depends on dynamic integers it is taken for granted, or checked when the program runs
/// (Arithmetic::requireZero). Where a mode of `b` ends is computed then: it becomes as many modes
/// as `a` has from where it begins, some of them with extent 1. What is known to be a multiple
/// keeps the static form, and so does all where `a` coalesces to one mode. Where `b` yields
/// coordinates, each of its modes goes along the mode of `a` that its stride names.
FAIRLEAD_API std::optional<Layout> composition(const Layout &a, const Layout &b,
                                               const Arithmetic &arithmetic = Arithmetic());

} // namespace fairlead::layout
#endif // FAIRLEAD_LAYOUT_LAYOUT_H_
