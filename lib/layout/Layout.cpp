#include "fairlead/layout/Layout.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "fairlead/layout/Text.h"

namespace fairlead::layout {
namespace {

/// Strides of the leaves of `shape`, which `order` lists from the fastest to the slowest. A leaf of
/// one element has stride 0: nothing is stepped over along it.
IntTuple compact(const IntTuple &shape, const std::vector<size_t> &order,
                 const Arithmetic &arithmetic) {
  std::vector<Int> leaves = shape.leaves(), strides(leaves.size());
  Int stride(1);
  for (size_t leaf : order) {
    strides[leaf] = leaves[leaf].is(1) ? Int(0) : stride;
    stride = arithmetic.mul(stride, leaves[leaf]);
  }
  return unflatten(strides, shape);
}

std::vector<size_t> leftToRight(const IntTuple &shape) {
  std::vector<size_t> order(shape.leaves().size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// For each leaf of `shape`, the leaf of `order` that stands for it.
void appendRanks(const IntTuple &shape, const IntTuple &order, std::vector<int64_t> &ranks) {
  if (order.isLeaf()) {
    ranks.insert(ranks.end(), shape.leaves().size(), order.leaf().value());
    return;
  }
  for (size_t mode = 0; mode < shape.modes().size(); ++mode)
    appendRanks(shape[mode], order[mode], ranks);
}

} // namespace

IntTuple compactColMajor(const IntTuple &shape, const Arithmetic &arithmetic) {
  return compact(shape, leftToRight(shape), arithmetic);
}

IntTuple compactRowMajor(const IntTuple &shape, const Arithmetic &arithmetic) {
  std::vector<size_t> order = leftToRight(shape);
  std::reverse(order.begin(), order.end());
  return compact(shape, order, arithmetic);
}

std::optional<IntTuple> compactOrdered(const IntTuple &shape, const IntTuple &order,
                                       const Arithmetic &arithmetic) {
  if (!order.isStatic() || !weaklyCongruent(order, shape))
    return std::nullopt;
  std::vector<int64_t> ranks;
  appendRanks(shape, order, ranks);
  std::vector<size_t> leaves = leftToRight(shape);
  std::stable_sort(leaves.begin(), leaves.end(),
                   [&](size_t a, size_t b) { return ranks[a] < ranks[b]; });
  return compact(shape, leaves, arithmetic);
}

Layout::Layout(const IntTuple &shape, const Arithmetic &arithmetic)
    : shape_(shape), stride_(compactColMajor(shape, arithmetic)) {}

std::optional<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  if (!congruent(shape, stride))
    return std::nullopt;
  return Layout(std::move(shape), std::move(stride));
}

std::optional<Layout> Layout::ordered(const IntTuple &shape, const IntTuple &order,
                                      const Arithmetic &arithmetic) {
  if (auto stride = compactOrdered(shape, order, arithmetic))
    return Layout(shape, std::move(*stride));
  return std::nullopt;
}

namespace {

/// `(a,b,...)` or a number, from `text` on, which is moved behind it.
std::optional<IntTuple> parseTuple(std::string_view &text) {
  if (!text.starts_with('(')) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
      return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return IntTuple(number);
  }
  std::vector<IntTuple> modes;
  do {
    text.remove_prefix(1);
    auto mode = parseTuple(text);
    if (!mode)
      return std::nullopt;
    modes.push_back(std::move(*mode));
  } while (text.starts_with(','));
  if (!text.starts_with(')'))
    return std::nullopt;
  text.remove_prefix(1);
  return IntTuple(std::move(modes));
}

} // namespace

std::optional<Layout> parseLayout(std::string_view text) {
  auto shape = parseTuple(text);
  if (!shape || !text.starts_with(':'))
    return std::nullopt;
  text.remove_prefix(1);
  auto stride = parseTuple(text);
  return stride && text.empty() ? Layout::make(*shape, *stride) : std::nullopt;
}

} // namespace fairlead::layout
