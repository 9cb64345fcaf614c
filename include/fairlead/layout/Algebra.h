/// Layouts taken apart and put together: slicing, tiling, products.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {

/// A coordinate some of whose entries are left open (Python's None).
class FAIRLEAD_API Coordinate {
public:
  /// Open.
  Coordinate() = default;
  Coordinate(const Int &entry) : kind_(Kind::Entry), entry_(entry) {}
  explicit Coordinate(std::vector<Coordinate> modes)
      : kind_(Kind::Tuple), modes_(std::move(modes)) {}

  bool isOpen() const { return kind_ == Kind::Open; }
  bool isTuple() const { return kind_ == Kind::Tuple; }
  const Int &entry() const { return entry_; }
  const std::vector<Coordinate> &modes() const { return modes_; }
  /// True when a part of it is open.
  bool hasOpen() const;

private:
  enum class Kind { Open, Entry, Tuple };
  Kind kind_ = Kind::Open;
  Int entry_;
  std::vector<Coordinate> modes_;
};

/// A layout with a place where it starts.
struct Slice {
  Layout layout;
  Int offset;
};
/// The part of a layout along the open entries of the coordinate: a mode for each open entry,
/// including those of nested coordinates. Its offset is the index of the other entries. ((2,3),4)
/// at ((_,_),1) is (2,3), at (_,1) it is ((2,3)). A leaf that is sliced away completely leaves 1:0.
/// None when the coordinate does not fit the shape.
FAIRLEAD_API std::optional<Slice> slice(const Layout &layout, const Coordinate &coordinate,
                                        const Arithmetic &arithmetic = Arithmetic());
/// The modes whose entries are not open.
FAIRLEAD_API std::optional<Layout> dice(const Layout &layout, const Coordinate &coordinate);

/// The mode at `path`; none if the path leads nowhere.
FAIRLEAD_API std::optional<Layout> get(const Layout &layout, const std::vector<int> &path);
/// The top-level modes listed, in that order.
FAIRLEAD_API std::optional<Layout> select(const Layout &layout, const std::vector<int> &modes);
/// Modes [begin, end) as one.
FAIRLEAD_API std::optional<Layout> groupModes(const Layout &layout, int begin, int end);
/// With `mode` as a further last (or first) mode.
FAIRLEAD_API Layout append(const Layout &layout, const Layout &mode);
FAIRLEAD_API Layout prepend(const Layout &layout, const Layout &mode);
/// A layout of layouts.
FAIRLEAD_API Layout group(const std::vector<Layout> &modes);
/// Without nesting.
FAIRLEAD_API Layout flatten(const Layout &layout);
/// Extents of modes that do not move (stride 0) become 1.
FAIRLEAD_API Layout filterZeros(const Layout &layout);
/// filterZeros, coalesced.
FAIRLEAD_API Layout filter(const Layout &layout, const Arithmetic &arithmetic = Arithmetic());
/// One more than the largest index. Strides must not be negative.
FAIRLEAD_API Int cosize(const Layout &layout, const Arithmetic &arithmetic = Arithmetic());

/// ceil(a / b), b positive.
FAIRLEAD_API Int ceilDiv(const Int &a, const Int &b, const Arithmetic &arithmetic = Arithmetic());

/// A layout that reaches what `layout` leaves out below `cotarget`, in steps above it. None for
/// strides that are negative or steps along coordinates, and for modes that do not lie one inside
/// the other's step; where that depends on dynamic integers it is taken for granted or checked, as
/// for composition. Extents and strides that are dynamic must be 1 or more. An order of strides
/// that is not known is found by the program, which sorts them.
FAIRLEAD_API std::optional<Layout> complement(const Layout &layout, const Int &cotarget,
                                              const Arithmetic &arithmetic = Arithmetic());
/// The longest layout R with layout(R(i)) == i; of dynamic strides those count that are known to go
/// on where the others end, as those of compact layouts are.
FAIRLEAD_API std::optional<Layout> rightInverse(const Layout &layout,
                                                const Arithmetic &arithmetic = Arithmetic());
/// A layout L with L(layout(c)) == c. None if the layout has no complement.
FAIRLEAD_API std::optional<Layout> leftInverse(const Layout &layout,
                                               const Arithmetic &arithmetic = Arithmetic());

/// The divisor, or multiplier, of a layout: a layout for all of it, or an entry for each of its
/// first modes. An open entry leaves the mode unchanged.
class FAIRLEAD_API Tiler {
public:
  /// An open tiler, which leaves the mode unchanged.
  Tiler() = default;
  Tiler(const Layout &layout) : layout_(layout) {}
  explicit Tiler(std::vector<Tiler> modes) : isTuple_(true), modes_(std::move(modes)) {}

  bool isOpen() const { return !isTuple_ && !layout_; }
  bool isTuple() const { return isTuple_; }
  const Layout &layout() const { return *layout_; }
  const std::vector<Tiler> &modes() const { return modes_; }

private:
  std::optional<Layout> layout_;
  bool isTuple_ = false;
  std::vector<Tiler> modes_;
};

/// Composes with a layout, or mode by mode. Modes beyond those of the tiler are dropped.
FAIRLEAD_API std::optional<Layout> composition(const Layout &a, const Tiler &b,
                                               const Arithmetic &arithmetic = Arithmetic());

/// Each mode that is tiled becomes (tile, rest), rounded up: ((TM,RM),(TN,RN),L...).
FAIRLEAD_API std::optional<Layout> logicalDivide(const Layout &layout, const Tiler &tiler,
                                                 const Arithmetic &arithmetic = Arithmetic());
/// ((TM,TN),(RM,RN,L...))
FAIRLEAD_API std::optional<Layout> zippedDivide(const Layout &layout, const Tiler &tiler,
                                                const Arithmetic &arithmetic = Arithmetic());
/// ((TM,TN),RM,RN,L...)
FAIRLEAD_API std::optional<Layout> tiledDivide(const Layout &layout, const Tiler &tiler,
                                               const Arithmetic &arithmetic = Arithmetic());
/// (TM,TN,RM,RN,L...)
FAIRLEAD_API std::optional<Layout> flatDivide(const Layout &layout, const Tiler &tiler,
                                              const Arithmetic &arithmetic = Arithmetic());

/// `layout` repeated as `tiler` says: (layout, repetitions); zipped, tiled and flat as for
/// division.
FAIRLEAD_API std::optional<Layout> logicalProduct(const Layout &layout, const Tiler &tiler,
                                                  const Arithmetic &arithmetic = Arithmetic());
FAIRLEAD_API std::optional<Layout> zippedProduct(const Layout &layout, const Tiler &tiler,
                                                 const Arithmetic &arithmetic = Arithmetic());
FAIRLEAD_API std::optional<Layout> tiledProduct(const Layout &layout, const Tiler &tiler,
                                                const Arithmetic &arithmetic = Arithmetic());
FAIRLEAD_API std::optional<Layout> flatProduct(const Layout &layout, const Tiler &tiler,
                                               const Arithmetic &arithmetic = Arithmetic());
/// Mode by mode, ((BM,TM),(BN,TN)): the block's own modes run first.
FAIRLEAD_API std::optional<Layout> blockedProduct(const Layout &block, const Layout &tiler,
                                                  const Arithmetic &arithmetic = Arithmetic());
/// ((TM,BM),(TN,BN)), each of them coalesced: the repetitions run first.
FAIRLEAD_API std::optional<Layout> rakedProduct(const Layout &block, const Layout &tiler,
                                                const Arithmetic &arithmetic = Arithmetic());

/// `atom` repeated until it covers `shape`. The numbers in `order` give the order of the modes, the
/// smallest fastest. Missing modes have one element. Empty if it has more modes than the shape.
FAIRLEAD_API std::optional<Layout> tileToShape(const Layout &atom, const IntTuple &shape,
                                               const IntTuple &order,
                                               const Arithmetic &arithmetic = Arithmetic());

/// The product of the leaves of each mode: a flat shape; a leaf stays one.
FAIRLEAD_API IntTuple productEach(const IntTuple &shape,
                                  const Arithmetic &arithmetic = Arithmetic());

/// Assigns the elements of a tile to threads.
struct ThreadValues {
  IntTuple tile;   ///< the extents of the tile, a number for each mode
  Layout elements; ///< (thread, value) -> linear coordinate in the tile
};
/// Threads laid out as `threads` with values laid out as `values` each: the threads' layout runs
/// over the values' one. None for layouts that are not known to be one-to-one.
FAIRLEAD_API std::optional<ThreadValues> threadValues(const Layout &threads, const Layout &values,
                                                      const Arithmetic &arithmetic = Arithmetic());

/// The layout of the same memory in elements of `newBits` bits instead of `oldBits`: the mode of
/// stride 1 shrinks or grows. Empty if elements of one size do not divide into those of the other.
FAIRLEAD_API std::optional<Layout> recast(const Layout &layout, int newBits, int oldBits);

} // namespace fairlead::layout
