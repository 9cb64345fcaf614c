#include "fairlead/dsl/SettledView.h"

#include <bit>

#include "dsl/memory/ElementAccess.h"
#include "fairlead/dsl/Layout.h"

namespace fairlead::dsl {
namespace {

using layout::Int;
using layout::IntTuple;

/// Numbers count elements; a swizzle changes them by an exclusive or of bits.
class Settler {
public:
  Settler(const Tensor &tensor, const Swizzle &swizzle)
      : tensor(tensor), swizzle(swizzle), first(tensor.composed().offset().leaf()) {}

  Tensor run() {
    // Steps beyond the swizzle's bits are added to the address.
    if (!swizzle || first.divisibility() % swizzle.period() == 0)
      return Tensor(moved(tensor.pointer(), first), tensor.composed().withOffset(IntTuple(0)));
    Scalar offset = toScalar(first);
    place = offset.staticInt() ? Scalar(*offset.staticInt()) : cast(offset, DType::Int32);
    if (!findVaried())
      return withoutPlainSteps();
    swizzled = toScalar(swizzle(toInt(place), arithmetic()));
    const layout::Layout &outer = tensor.layout();
    auto [shape, stride] = settle(outer.shape(), outer.stride());
    // The swizzle does not change the low bits.
    int64_t low =
        std::min(first.divisibility() & -first.divisibility(), int64_t{1} << swizzle.base);
    return Tensor(moved(tensor.pointer(), known(swizzled, low)),
                  *layout::Layout::make(shape, stride));
  }

private:
  static bool isPower(int64_t number) { return std::has_single_bit(static_cast<uint64_t>(number)); }
  bool isBeyond(const Int &stride) const { return stride.divisibility() % swizzle.period() == 0; }

  /// The bits of the first element's offset that the swizzle reads and changes stay in the layout,
  /// the other ones are added to the address. Published programs take for granted that the
  /// layout's own steps carry nothing into them.
  Tensor withoutPlainSteps() const {
    auto swizzledBits = static_cast<int64_t>(target() | (target() << swizzle.shift));
    Scalar swizzledPart = place & Scalar(swizzledBits);
    int64_t low = first.divisibility() & -first.divisibility();
    return Tensor(moved(tensor.pointer(), known(place - swizzledPart, low)),
                  tensor.composed().withOffset(IntTuple(known(swizzledPart, low))));
  }

  uint64_t target() const { return ((uint64_t{1} << swizzle.bits) - 1) << swizzle.base; }

  /// Collects the bits that the layout changes. Returns false if they overlap the bits of the
  /// first element's offset, or are on both sides of an exclusive or.
  bool findVaried() {
    std::vector<Int> extents = tensor.layout().shape().leaves(),
                     strides = tensor.layout().stride().leaves();
    const auto below = static_cast<uint64_t>(first.divisibility()) & -first.divisibility();
    for (size_t i = 0; i < extents.size(); ++i) {
      if (extents[i].is(1) || strides[i].is(0) || isBeyond(strides[i]))
        continue;
      bool isRegular = extents[i].isStatic() && strides[i].isStatic() && strides[i].value() > 0 &&
                       isPower(extents[i].value()) && isPower(strides[i].value());
      if (!isRegular)
        return false;
      auto low = static_cast<uint64_t>(strides[i].value());
      uint64_t bits = low * static_cast<uint64_t>(extents[i].value()) - low;
      bool crosses = low < below && (bits & below);
      if ((varied & bits) || crosses)
        return false;
      varied |= bits;
    }
    return (varied & target() & (varied >> swizzle.shift)) == 0;
  }

  std::pair<IntTuple, IntTuple> settle(const IntTuple &shape, const IntTuple &stride) const {
    if (shape.isLeaf())
      return settleLeaf(shape.leaf(), stride.leaf());
    std::vector<IntTuple> shapes, strides;
    for (size_t i = 0; i < shape.modes().size(); ++i) {
      auto [extents, steps] = settle(shape[i], stride[i]);
      shapes.push_back(extents);
      strides.push_back(steps);
    }
    return {IntTuple(shapes), IntTuple(strides)};
  }

  std::pair<IntTuple, IntTuple> settleLeaf(const Int &extent, const Int &stride) const {
    if (extent.is(1) || stride.is(0) || isBeyond(stride))
      return {extent, stride};
    std::vector<IntTuple> extents, strides;
    int64_t end = extent.value() * stride.value(), plain = 0; // where neighbouring plain bits begin
    auto finish = [&](int64_t bit) {
      if (plain) {
        extents.emplace_back(bit / plain);
        strides.emplace_back(plain);
      }
      plain = 0;
    };
    for (int64_t bit = stride.value(); bit < end; bit *= 2) {
      std::optional<Int> step = changed(bit);
      if (!step) {
        plain = plain ? plain : bit;
        continue;
      }
      finish(bit);
      extents.emplace_back(2);
      strides.emplace_back(*step);
    }
    finish(end);
    if (extents.size() == 1)
      return {extents.front(), strides.front()};
    return {IntTuple(extents), IntTuple(strides)};
  }

  /// Returns the distance that this bit of an element's number adds after the swizzle; nothing if
  /// the swizzle does not change it.
  std::optional<Int> changed(int64_t bit) const {
    auto mask = static_cast<int64_t>(target());
    auto isSet = [](const Scalar &number, int64_t place) {
      int width = std::countr_zero(static_cast<uint64_t>(place));
      return (number >> Scalar(width)) & Scalar(1);
    };
    if (bit & mask) // which the other side turns round
      return known(Scalar(bit) - isSet(place, bit << swizzle.shift) * Scalar(2 * bit), bit);
    if (bit & (mask << swizzle.shift)) { // which turns another one round
      int64_t other = bit >> swizzle.shift;
      return known(Scalar(bit + other) - isSet(swizzled, other) * Scalar(2 * other), other);
    }
    return std::nullopt;
  }
  static Int known(const Scalar &number, int64_t divisor) {
    auto constant = number.staticInt();
    return constant ? Int(*constant) : toInt(number.assumed(divisor));
  }

  const Tensor &tensor;
  const Swizzle swizzle;
  const Int first;
  Scalar place, swizzled; ///< of the first element
  uint64_t varied = 0;
};

} // namespace

Tensor settled(const Tensor &tensor) {
  if (tensor.isCoordinates())
    return tensor;
  std::optional<Swizzle> swizzle = tensor.composed().swizzle();
  const IntTuple &offset = tensor.composed().offset();
  if (!swizzle || swizzle->shift <= 0 || !offset.isLeaf() || offset.leaf().is(0))
    return tensor;
  return Settler(tensor, *swizzle).run();
}

} // namespace fairlead::dsl
