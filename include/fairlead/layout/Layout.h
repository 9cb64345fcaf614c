/// Layouts: functions from coordinates to indices, as a shape and strides. Coordinates count
/// colexicographically: the first mode is the fastest.
#pragma once

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
/// Expands a coordinate that is nested less than `shape`, typically a linear one, to the nesting of
/// `shape`. The last mode takes the remainder. None if crd2idx has none.
FAIRLEAD_API std::optional<IntTuple> idx2crd(const IntTuple &coordinate, const IntTuple &shape,
                                             const Arithmetic &arithmetic = Arithmetic());

/// The coordinate, nested as the layout is, at which a layout of distinct strides yields `index`:
/// leaf by leaf what remains of index / stride within the extent; 0 if a mode does not move.
FAIRLEAD_API IntTuple hierarchicalCoordinate(const Int &index, const Layout &layout,
                                             const Arithmetic &arithmetic = Arithmetic());
/// hierarchicalCoordinate with one linear entry for each mode.
FAIRLEAD_API IntTuple flatCoordinate(const Int &index, const Layout &layout,
                                     const Arithmetic &arithmetic = Arithmetic());

/// The layout whose value at a coordinate is that coordinate: strides are steps along the modes of
/// `shape`.
FAIRLEAD_API Layout identityLayout(const IntTuple &shape);
/// True when a stride is a step along a mode: the layout's values are coordinates, not indices.
FAIRLEAD_API bool yieldsCoordinates(const Layout &layout);
/// A coordinate of zeros, nested like the coordinates that such a layout yields, as far as its
/// strides determine it.
FAIRLEAD_API IntTuple originOf(const Layout &layout);
/// The value of such a layout at a coordinate, added to `origin`, which is nested like the value.
/// Plain strides move the first number of `origin`. None if crd2idx has none, or for a step along a
/// mode that `origin` lacks.
FAIRLEAD_API std::optional<IntTuple> coordinateAt(const IntTuple &coordinate, const Layout &layout,
                                                  const IntTuple &origin,
                                                  const Arithmetic &arithmetic = Arithmetic());

/// An equal function of linear coordinates with as few modes as known facts allow, at most one
/// level deep. Modes of extent 1 vanish.
FAIRLEAD_API Layout coalesce(const Layout &layout, const Arithmetic &arithmetic = Arithmetic());
/// Coalesces within each mode: each leaf of `profile` marks a part to coalesce. Modes beyond those
/// of `profile` stay as they are. None if `profile` has more modes than the layout.
FAIRLEAD_API std::optional<Layout> coalesce(const Layout &layout, const IntTuple &profile,
                                            const Arithmetic &arithmetic = Arithmetic());

/// The layout c -> a(b(c)), wherever b(c) is below the size of `a`; nested like `b` or deeper.
/// None when `b` does not fit the modes of `a`: an extent or a stride that does not divide into
/// them, or modes of `b` that together carry from one mode of `a` into the next.
///
/// Conditions on dynamic integers are assumed, or checked when the program runs
/// (Arithmetic::requireZero). The end of a mode of `b` is then computed: the mode becomes as many
/// modes as `a` has from its beginning on, some of them with extent 1. Known multiples keep the
/// static form, and so does everything if `a` coalesces to one mode. If `b` yields coordinates,
/// each of its modes runs along the mode of `a` that its stride names.
FAIRLEAD_API std::optional<Layout> composition(const Layout &a, const Layout &b,
                                               const Arithmetic &arithmetic = Arithmetic());

} // namespace fairlead::layout
