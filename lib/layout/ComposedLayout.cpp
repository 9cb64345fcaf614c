#include "fairlead/layout/ComposedLayout.h"

#include <algorithm>

namespace fairlead::layout {
namespace {

template <typename... Cases> struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

/// One function after another, the offset of the later one between them.
class Chain : public Function {
public:
  Chain(ComposedLayout::Inner later, IntTuple offset, ComposedLayout::Inner earlier)
      : later(std::move(later)), offset(std::move(offset)), earlier(std::move(earlier)) {}

  IntTuple operator()(const IntTuple &value, const Arithmetic &arithmetic) const override;
  std::string str() const override;

private:
  ComposedLayout::Inner later;
  IntTuple offset;
  ComposedLayout::Inner earlier;
};

std::optional<IntTuple> apply(const ComposedLayout::Inner &inner, const IntTuple &value,
                              const Arithmetic &arithmetic) {
  using Result = std::optional<IntTuple>;
  return std::visit(
      Overloaded{
          [&](std::monostate) -> Result { return value; },
          [&](const Swizzle &swizzle) -> Result {
            if (!value.isLeaf())
              return std::nullopt;
            return IntTuple(swizzle(value.leaf(), arithmetic));
          },
          [&](const Layout &layout) -> Result { return ComposedLayout(layout)(value, arithmetic); },
          [&](const std::shared_ptr<const ComposedLayout> &composed) -> Result {
            return (*composed)(value, arithmetic);
          },
          [&](const std::shared_ptr<const Function> &function) -> Result {
            return (*function)(value, arithmetic);
          }},
      inner);
}

std::string textOf(const ComposedLayout::Inner &inner) {
  return std::visit(
      Overloaded{
          [](std::monostate) { return std::string(); },
          [](const Swizzle &swizzle) { return swizzle.str(); },
          [](const Layout &layout) { return layout.str(); },
          [](const std::shared_ptr<const ComposedLayout> &composed) { return composed->str(); },
          [](const std::shared_ptr<const Function> &function) { return function->str(); }},
      inner);
}

IntTuple Chain::operator()(const IntTuple &value, const Arithmetic &arithmetic) const {
  auto middle = apply(earlier, value, arithmetic);
  auto moved = middle ? sum(offset, *middle, arithmetic) : std::nullopt;
  auto result = moved ? apply(later, *moved, arithmetic) : std::nullopt;
  return result.value_or(value);
}

std::string Chain::str() const {
  return textOf(later) + " o " + offset.str() + " o " + textOf(earlier);
}

} // namespace

Function::~Function() = default;

std::string Swizzle::str() const {
  return "S<" + std::to_string(bits) + "," + std::to_string(base) + "," + std::to_string(shift) +
         ">";
}

Int Swizzle::operator()(const Int &number, const Arithmetic &arithmetic) const {
  if (bits == 0)
    return number;
  int64_t mask = (int64_t{1} << bits) - 1;
  Int bits = arithmetic.bitAnd(number, mask << (base + std::max(shift, 0)));
  return arithmetic.bitXor(number, shift >= 0 ? arithmetic.shiftRight(bits, shift)
                                              : arithmetic.shiftLeft(bits, -shift));
}

std::optional<IntTuple> sum(const IntTuple &a, const IntTuple &b, const Arithmetic &arithmetic) {
  if (!congruent(a, b)) {
    // 0 is the origin of any coordinate.
    if (a.isLeaf() && a.leaf().is(0))
      return b;
    return std::nullopt;
  }
  if (a.isLeaf())
    return IntTuple(arithmetic.add(a.leaf(), b.leaf()));
  std::vector<Int> x = a.leaves(), y = b.leaves();
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = arithmetic.add(x[i], y[i]);
  return unflatten(x, a);
}

IntTuple closed(const Coordinate &coordinate) {
  if (!coordinate.isTuple())
    return coordinate.isOpen() ? Int(0) : coordinate.entry();
  std::vector<IntTuple> modes;
  for (const Coordinate &mode : coordinate.modes())
    modes.push_back(closed(mode));
  return IntTuple(std::move(modes));
}

ComposedLayout ComposedLayout::make(Inner inner, IntTuple offset, const ComposedLayout &outer) {
  if (outer.isLayout())
    return {std::move(inner), std::move(offset), outer.outer_};
  return {std::make_shared<const Chain>(std::move(inner), std::move(offset), outer.inner_),
          outer.offset_, outer.outer_};
}

bool ComposedLayout::isLayout() const {
  return std::holds_alternative<std::monostate>(inner_) && offset_.isLeaf() && offset_.leaf().is(0);
}

std::optional<Swizzle> ComposedLayout::swizzle() const {
  const auto *swizzle = std::get_if<Swizzle>(&inner_);
  return swizzle ? std::optional(*swizzle) : std::nullopt;
}

std::optional<IntTuple> ComposedLayout::operator()(const IntTuple &coordinate,
                                                   const Arithmetic &arithmetic) const {
  std::optional<IntTuple> value;
  if (yieldsCoordinates(outer_)) {
    IntTuple origin = offset_.isLeaf() && offset_.leaf().is(0) ? originOf(outer_) : offset_;
    value = coordinateAt(coordinate, outer_, origin, arithmetic);
  } else if (auto index = crd2idx(coordinate, outer_, arithmetic)) {
    value = sum(offset_, *index, arithmetic);
  }
  return value ? apply(inner_, *value, arithmetic) : std::nullopt;
}

std::optional<ComposedLayout> ComposedLayout::slice(const Coordinate &coordinate,
                                                    const Arithmetic &arithmetic) const {
  if (coordinate.isOpen())
    return *this;
  // The place may be a coordinate, whose steps have no sum: it is computed on its own.
  auto part = layout::slice(outer_, coordinate, Arithmetic());
  auto place = ComposedLayout(std::monostate(), offset_, outer_)(closed(coordinate), arithmetic);
  if (!part || !place)
    return std::nullopt;
  return ComposedLayout(inner_, *place, part->layout);
}

Int ComposedLayout::span(const Arithmetic &arithmetic) const {
  if (const auto *layout = std::get_if<Layout>(&inner_))
    return cosize(*layout, arithmetic);
  Int begin = offset_.isLeaf() ? offset_.leaf() : Int(0);
  Int end = arithmetic.add(begin, cosize(outer_, arithmetic));
  auto swizzle = this->swizzle();
  if (!swizzle || !*swizzle)
    return end;
  return arithmetic.mul(ceilDiv(end, swizzle->reach(), arithmetic), swizzle->reach());
}

int64_t ComposedLayout::neighbours() const {
  if (auto swizzle = this->swizzle())
    return int64_t{1} << swizzle->base;
  return std::holds_alternative<std::monostate>(inner_) ? int64_t{1} << 62 : 1;
}

std::string ComposedLayout::str() const {
  if (isLayout())
    return outer_.str();
  std::string inner = textOf(inner_);
  return (inner.empty() ? "" : inner + " o ") + offset_.str() + " o " + outer_.str();
}

bool operator==(const ComposedLayout &a, const ComposedLayout &b) {
  if (a.offset_ != b.offset_ || a.outer_ != b.outer_ || a.inner_.index() != b.inner_.index())
    return false;
  using Nested = std::shared_ptr<const ComposedLayout>;
  if (const auto *nested = std::get_if<Nested>(&a.inner_))
    return **nested == *std::get<Nested>(b.inner_);
  return a.inner_ == b.inner_;
}

} // namespace fairlead::layout
