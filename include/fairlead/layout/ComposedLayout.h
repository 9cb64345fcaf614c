/// Functions of coordinates that are more than a layout: what a layout yields, moved by an offset
/// and taken through another function, such as a swizzle.
#ifndef FAIRLEAD_LAYOUT_COMPOSEDLAYOUT_H_
#define FAIRLEAD_LAYOUT_COMPOSEDLAYOUT_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "fairlead/layout/Algebra.h"

namespace fairlead::layout {

/// A permutation of numbers that are not negative: the `bits` bits from bit `base` on are xored
/// with those `shift` further up (down, for a negative shift), so that 2^base neighbours stay
/// neighbours. It is its own inverse. `|shift|` is at least `bits`.
struct FAIRLEAD_API Swizzle {
  int bits = 0, base = 0, shift = 0;

  /// False for the one that moves nothing.
  explicit operator bool() const { return bits > 0; }
  Int operator()(const Int &number, const Arithmetic &arithmetic = Arithmetic()) const;
  /// Numbers after which the pattern repeats, from which on it is known: a power of two.
  int64_t period() const { return int64_t{1} << (bits + base + (shift < 0 ? -shift : shift)); }
  /// Every number below a multiple of this goes to one below it.
  int64_t reach() const { return int64_t{1} << (bits + base + (shift < 0 ? -shift : 0)); }
  /// `S<3,4,3>`
  std::string str() const;

  friend bool operator==(const Swizzle &a, const Swizzle &b) {
    return a.bits == b.bits && a.base == b.base && a.shift == b.shift;
  }
  friend bool operator!=(const Swizzle &a, const Swizzle &b) { return !(a == b); }
};

class ComposedLayout;

/// A function of numbers or coordinates that is no layout and no swizzle, such as one of Python.
class FAIRLEAD_API Function {
public:
  virtual ~Function();
  virtual IntTuple operator()(const IntTuple &value, const Arithmetic &arithmetic) const = 0;
  virtual std::string str() const = 0;
};

/// The function c -> inner(offset + outer(c)), where `outer` is a layout, and `inner` nothing (the
/// number as it is), a swizzle, a layout, a composed layout or another function. Algebra works on
/// `outer` and keeps the rest.
class FAIRLEAD_API ComposedLayout {
public:
  using Inner = std::variant<std::monostate, Swizzle, Layout, std::shared_ptr<const ComposedLayout>,
                             std::shared_ptr<const Function>>;

  /// A layout and nothing more.
  ComposedLayout(Layout outer) : offset_(0), outer_(std::move(outer)) {}
  ComposedLayout(Inner inner, IntTuple offset, Layout outer)
      : inner_(std::move(inner)), offset_(std::move(offset)), outer_(std::move(outer)) {}
  /// c -> inner(offset + outer(c)) of an outer function that is itself composed.
  static ComposedLayout make(Inner inner, IntTuple offset, const ComposedLayout &outer);

  const Inner &inner() const { return inner_; }
  const IntTuple &offset() const { return offset_; }
  const Layout &outer() const { return outer_; }

  /// True where there is no inner function and no offset: a layout.
  bool isLayout() const;
  /// The swizzle that is the inner function; none where it is another.
  std::optional<Swizzle> swizzle() const;
  /// The value at a coordinate. None where the layout has none (crd2idx, coordinateAt).
  std::optional<IntTuple> operator()(const IntTuple &coordinate,
                                     const Arithmetic &arithmetic = Arithmetic()) const;
  /// The same function after another layout: the inner one and the offset stay.
  ComposedLayout withOuter(Layout outer) const { return {inner_, offset_, std::move(outer)}; }
  ComposedLayout withOffset(IntTuple offset) const { return {inner_, std::move(offset), outer_}; }
  /// What the coordinate leaves open; the rest of it moves the offset.
  std::optional<ComposedLayout> slice(const Coordinate &coordinate,
                                      const Arithmetic &arithmetic = Arithmetic()) const;
  /// Numbers from 0 on among which all are that it yields: for memory that it is to lie in. Of
  /// other functions than swizzles and layouts those that `outer` yields.
  Int span(const Arithmetic &arithmetic = Arithmetic()) const;
  /// Neighbouring values of `outer` from a multiple of this on stay neighbours: a power of two; 1
  /// where nothing is known of that.
  int64_t neighbours() const;
  /// `S<3,0,3> o 0 o (8,8):(8,1)`; of a layout `(8,8):(8,1)`.
  std::string str() const;

  friend FAIRLEAD_API bool operator==(const ComposedLayout &a, const ComposedLayout &b);
  friend bool operator!=(const ComposedLayout &a, const ComposedLayout &b) { return !(a == b); }

private:
  Inner inner_;
  IntTuple offset_;
  Layout outer_;
};

/// The sum of two tuples nested alike; none of others.
FAIRLEAD_API std::optional<IntTuple> sum(const IntTuple &a, const IntTuple &b,
                                         const Arithmetic &arithmetic = Arithmetic());
/// The coordinate with 0 where it is open.
FAIRLEAD_API IntTuple closed(const Coordinate &coordinate);

} // namespace fairlead::layout
#endif // FAIRLEAD_LAYOUT_COMPOSEDLAYOUT_H_
