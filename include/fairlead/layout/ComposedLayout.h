/// Functions of coordinates that are more than a layout: the layout's value plus an offset, mapped
/// by another function such as a swizzle.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "fairlead/layout/Algebra.h"

namespace fairlead::layout {

/// A permutation of nonnegative numbers: xors the `bits` bits from bit `base` on with the bits
/// `shift` higher (lower, for a negative shift). 2^base neighbours stay neighbours. It is its own
/// inverse. `|shift|` is at least `bits`.
struct FAIRLEAD_API Swizzle {
  int bits = 0, base = 0, shift = 0;

  /// False for the one that moves nothing.
  explicit operator bool() const { return bits > 0; }
  Int operator()(const Int &number, const Arithmetic &arithmetic = Arithmetic()) const;
  /// Length of the repeating pattern: a power of two.
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

  /// True without an inner function and an offset: a layout.
  bool isLayout() const;
  /// The inner function if it is a swizzle.
  std::optional<Swizzle> swizzle() const;
  /// The value at a coordinate. Empty if the layout has none (crd2idx, coordinateAt).
  std::optional<IntTuple> operator()(const IntTuple &coordinate,
                                     const Arithmetic &arithmetic = Arithmetic()) const;
  /// Replaces the outer layout; the inner function and the offset stay.
  ComposedLayout withOuter(Layout outer) const { return {inner_, offset_, std::move(outer)}; }
  ComposedLayout withOffset(IntTuple offset) const { return {inner_, std::move(offset), outer_}; }
  /// Slices along the open entries of the coordinate; the other entries move the offset.
  std::optional<ComposedLayout> slice(const Coordinate &coordinate,
                                      const Arithmetic &arithmetic = Arithmetic()) const;
  /// Size of a range from 0 on that contains all values, for the size of memory. For an inner
  /// function other than a swizzle: of the values of `outer`.
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
/// The coordinate with 0 if it is open.
FAIRLEAD_API IntTuple closed(const Coordinate &coordinate);

} // namespace fairlead::layout
