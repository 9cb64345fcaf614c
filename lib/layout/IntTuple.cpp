#include "fairlead/layout/IntTuple.h"

#include <algorithm>

#include "fairlead/layout/Layout.h"
#include "layout/Leaves.h"

namespace fairlead::layout {

bool IntTuple::isStatic() const {
  return isLeaf_ ? leaf_.isStatic()
                 : std::all_of(modes_.begin(), modes_.end(),
                               [](const IntTuple &mode) { return mode.isStatic(); });
}

std::vector<Int> IntTuple::leaves() const {
  std::vector<Int> leaves;
  forEachLeaf(*this, [&](const Int &leaf) { leaves.push_back(leaf); });
  return leaves;
}

std::string IntTuple::str() const {
  if (isLeaf_)
    return leaf_.str();
  std::string text = "(";
  for (size_t i = 0; i < modes_.size(); ++i) {
    if (i)
      text += ',';
    text += modes_[i].str();
  }
  return text + ')';
}

bool operator==(const IntTuple &a, const IntTuple &b) {
  return a.isLeaf_ == b.isLeaf_ && (a.isLeaf_ ? a.leaf_ == b.leaf_ : a.modes_ == b.modes_);
}

int rank(const IntTuple &tuple) {
  return tuple.isLeaf() ? 1 : static_cast<int>(tuple.modes().size());
}

int depth(const IntTuple &tuple) {
  int deepest = tuple.isLeaf() ? -1 : 0;
  for (const IntTuple &mode : tuple.modes())
    deepest = std::max(deepest, depth(mode));
  return deepest + 1;
}

Int size(const IntTuple &tuple, const Arithmetic &arithmetic) {
  Int product(1);
  forEachLeaf(tuple, [&](const Int &leaf) { product = arithmetic.mul(product, leaf); });
  return product;
}

bool congruent(const IntTuple &a, const IntTuple &b) {
  return a.isLeaf() == b.isLeaf() && std::equal(a.modes().begin(), a.modes().end(),
                                                b.modes().begin(), b.modes().end(), congruent);
}

bool weaklyCongruent(const IntTuple &a, const IntTuple &b) {
  if (a.isLeaf())
    return true;
  return !b.isLeaf() && std::equal(a.modes().begin(), a.modes().end(), b.modes().begin(),
                                   b.modes().end(), weaklyCongruent);
}

IntTuple flatten(const IntTuple &tuple) {
  if (tuple.isLeaf())
    return tuple;
  std::vector<Int> leaves = tuple.leaves();
  return IntTuple(std::vector<IntTuple>(leaves.begin(), leaves.end()));
}

static IntTuple take(const std::vector<Int> &leaves, size_t &next, const IntTuple &profile) {
  if (profile.isLeaf())
    return leaves[next++];
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : profile.modes())
    modes.push_back(take(leaves, next, mode));
  return IntTuple(std::move(modes));
}

IntTuple unflatten(const std::vector<Int> &leaves, const IntTuple &profile) {
  size_t next = 0;
  return take(leaves, next, profile);
}

// From coordinates to indices and back.

namespace {

/// Appends the entries of a linear coordinate for each leaf of `shape`.
void appendEntries(Int rest, const IntTuple &shape, const Arithmetic &arithmetic,
                   std::vector<Int> &entries) {
  if (shape.isLeaf())
    entries.push_back(rest);
  for (const IntTuple &mode : shape.modes()) {
    if (&mode == &shape.modes().back())
      return appendEntries(rest, mode, arithmetic, entries);
    const Int extent = size(mode, arithmetic);
    appendEntries(arithmetic.mod(rest, extent), mode, arithmetic, entries);
    rest = arithmetic.floorDiv(rest, extent);
  }
}

/// Appends an entry for each leaf of `shape`; `coordinate` is weakly congruent to it.
void appendEntries(const IntTuple &coordinate, const IntTuple &shape, const Arithmetic &arithmetic,
                   std::vector<Int> &entries) {
  if (coordinate.isLeaf())
    return appendEntries(coordinate.leaf(), shape, arithmetic, entries);
  for (size_t mode = 0; mode < shape.modes().size(); ++mode)
    appendEntries(coordinate[mode], shape[mode], arithmetic, entries);
}

} // namespace

std::optional<IntTuple> idx2crd(const IntTuple &coordinate, const IntTuple &shape,
                                const Arithmetic &arithmetic) {
  if (!weaklyCongruent(coordinate, shape))
    return std::nullopt;
  std::vector<Int> entries;
  appendEntries(coordinate, shape, arithmetic, entries);
  return unflatten(entries, shape);
}

std::optional<Int> crd2idx(const IntTuple &coordinate, const Layout &layout,
                           const Arithmetic &arithmetic) {
  if (!weaklyCongruent(coordinate, layout.shape()))
    return std::nullopt;
  std::vector<Int> entries;
  entries.reserve(8);
  appendEntries(coordinate, layout.shape(), arithmetic, entries);
  Int index(0);
  auto entry = entries.begin();
  forEachLeaf(layout.stride(), [&](const Int &stride) {
    index = arithmetic.add(index, arithmetic.mul(*entry++, stride));
  });
  return index;
}

IntTuple hierarchicalCoordinate(const Int &index, const Layout &layout,
                                const Arithmetic &arithmetic) {
  std::vector<Int> extents = layout.shape().leaves(), strides = layout.stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i)
    extents[i] = arithmetic.mod(arithmetic.floorDiv(index, strides[i]), extents[i]);
  return unflatten(extents, layout.shape());
}

IntTuple flatCoordinate(const Int &index, const Layout &layout, const Arithmetic &arithmetic) {
  IntTuple nested = hierarchicalCoordinate(index, layout, arithmetic);
  if (nested.isLeaf())
    return nested;
  std::vector<IntTuple> modes;
  for (size_t mode = 0; mode < nested.modes().size(); ++mode)
    modes.emplace_back(
        *crd2idx(nested[mode], Layout(layout.shape()[mode], arithmetic), arithmetic));
  return IntTuple(std::move(modes));
}

} // namespace fairlead::layout
