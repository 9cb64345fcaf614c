/// Layouts of the same memory for elements of another size.
#include "fairlead/layout/Recast.h"

#include <algorithm>
#include <numeric>

namespace fairlead::layout {
namespace {

/// a / b, or 1 if b is a multiple of a; none for anything else.
std::optional<int64_t> shapeQuotient(int64_t a, int64_t b) {
  if (a % b == 0)
    return a / b;
  if (b % a == 0)
    return 1;
  return std::nullopt;
}

/// Elements `factor` times as large.
std::optional<Layout> upcast(const Layout &layout, int64_t factor, const Arithmetic &arithmetic) {
  std::vector<Int> extents = layout.shape().leaves(), strides = layout.stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i) {
    if (strides[i].is(0))
      continue;
    if (!strides[i].isStatic()) {
      // Whole new elements apart, as far as is known.
      if (strides[i].divisibility() % factor != 0)
        return std::nullopt;
      strides[i] = arithmetic.floorDiv(strides[i], factor);
      continue;
    }
    int64_t stride = strides[i].value(), step = stride < 0 ? -stride : stride;
    auto together = shapeQuotient(factor, step), apart = shapeQuotient(step, factor);
    if (!together || !apart)
      return std::nullopt;
    if (*together > 1) {
      if (!extents[i].isStatic() && extents[i].divisibility() % *together != 0)
        return std::nullopt;
      auto extent = extents[i].isStatic() && extents[i].value() > 0
                        ? shapeQuotient(extents[i].value(), *together)
                        : std::optional<int64_t>();
      if (extents[i].isStatic() && extents[i].value() > 0 && !extent)
        return std::nullopt;
      extents[i] = extent ? Int(*extent) : arithmetic.floorDiv(extents[i], *together);
    }
    strides[i] = stride < 0 ? -*apart : *apart;
  }
  return Layout::make(unflatten(extents, layout.shape()), unflatten(strides, layout.shape()));
}

/// Elements a `factor`th as large.
Layout downcast(const Layout &layout, int64_t factor, const Arithmetic &arithmetic) {
  std::vector<Int> extents = layout.shape().leaves(), strides = layout.stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i) {
    Int &scaled = strides[i].is(1) || strides[i].is(-1) ? extents[i] : strides[i];
    scaled = arithmetic.mul(scaled, factor);
  }
  return *Layout::make(unflatten(extents, layout.shape()), unflatten(strides, layout.shape()));
}

} // namespace

std::optional<Layout> recast(const Layout &layout, int newBits, int oldBits,
                             const Arithmetic &arithmetic) {
  if (newBits <= 0 || oldBits <= 0 || yieldsCoordinates(layout))
    return std::nullopt;
  if (newBits == oldBits)
    return layout;
  // Through elements that make up both: bytes as elements of 6 bits through those of 2.
  int common = std::gcd(newBits, oldBits);
  Layout parts = common == oldBits ? layout : downcast(layout, oldBits / common, arithmetic);
  return common == newBits ? parts : upcast(parts, newBits / common, arithmetic);
}

std::optional<Layout> recast(const Layout &layout, int newBits, int oldBits) {
  return recast(layout, newBits, oldBits, Arithmetic());
}

namespace {

/// The offset of a composed layout; none for one that is no whole number of new elements.
std::optional<IntTuple> recastOffset(const IntTuple &offset, int newBits, int oldBits,
                                     const Arithmetic &arithmetic) {
  if (offset == IntTuple(0))
    return offset;
  if (!offset.isLeaf())
    return std::nullopt;
  const int64_t common = std::gcd(newBits, oldBits), larger = newBits / common;
  const Int parts = arithmetic.mul(offset.leaf(), oldBits / common);
  if (parts.divisibility() % larger)
    return std::nullopt;
  return IntTuple(arithmetic.floorDiv(parts, larger));
}

/// A swizzle of elements of the new size; none for one that moves elements within new ones.
std::optional<Swizzle> recastSwizzle(Swizzle swizzle, int newBits, int oldBits) {
  const int larger = std::max(newBits, oldBits), smaller = std::min(newBits, oldBits);
  if (larger % smaller || (larger / smaller & (larger / smaller - 1)))
    return std::nullopt;
  for (int bits = oldBits; bits < newBits; bits *= 2)
    --swizzle.base;
  for (int bits = newBits; bits < oldBits; bits *= 2)
    ++swizzle.base;
  return swizzle.base < 0 ? std::nullopt : std::optional(swizzle);
}

/// An inner layout for elements of the new size. Its neighbours must be neighbours in memory: none
/// for a layout whose first mode does not have stride 1, or that divides runs of `newBits`.
std::optional<Layout> recastInner(const Layout &inner, int newBits, int oldBits,
                                  const Arithmetic &arithmetic) {
  const Layout flat = coalesce(inner, arithmetic);
  const std::vector<Int> extents = flat.shape().leaves(), strides = flat.stride().leaves();
  const int64_t run = newBits / std::gcd(newBits, oldBits);
  if (!strides.front().is(1) || extents.front().divisibility() % run)
    return std::nullopt;
  for (size_t i = 1; i < strides.size(); ++i)
    if (strides[i].divisibility() % run || strides[i].is(1) || strides[i].is(-1))
      return std::nullopt;
  return recast(inner, newBits, oldBits, arithmetic);
}

} // namespace

std::optional<ComposedLayout> recast(const ComposedLayout &layout, int newBits, int oldBits,
                                     const Arithmetic &arithmetic) {
  auto outer = recast(layout.outer(), newBits, oldBits, arithmetic);
  if (!outer || layout.isLayout())
    return outer ? std::optional<ComposedLayout>(*outer) : std::nullopt;
  auto offset = recastOffset(layout.offset(), newBits, oldBits, arithmetic);
  if (!offset)
    return std::nullopt;
  if (auto swizzle = layout.swizzle()) {
    swizzle = recastSwizzle(*swizzle, newBits, oldBits);
    return swizzle ? std::optional(ComposedLayout(*swizzle, *offset, *outer)) : std::nullopt;
  }
  if (const Layout *inner = std::get_if<Layout>(&layout.inner())) {
    auto mapped = recastInner(*inner, newBits, oldBits, arithmetic);
    return mapped ? std::optional(ComposedLayout(*mapped, *offset, *outer)) : std::nullopt;
  }
  if (std::holds_alternative<std::monostate>(layout.inner()))
    return ComposedLayout({}, *offset, *outer);
  return std::nullopt;
}

} // namespace fairlead::layout
