#include "fairlead/layout/IntTuple.h"

#include <algorithm>

namespace fairlead::layout {

bool IntTuple::isStatic() const {
  return isLeaf_ ? leaf_.isStatic()
                 : std::all_of(modes_.begin(), modes_.end(),
                               [](const IntTuple &mode) { return mode.isStatic(); });
}

static void appendLeaves(const IntTuple &tuple, std::vector<Int> &leaves) {
  if (tuple.isLeaf())
    leaves.push_back(tuple.leaf());
  for (const IntTuple &mode : tuple.modes())
    appendLeaves(mode, leaves);
}

std::vector<Int> IntTuple::leaves() const {
  std::vector<Int> leaves;
  appendLeaves(*this, leaves);
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
  for (const Int &leaf : tuple.leaves())
    product = arithmetic.mul(product, leaf);
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

} // namespace fairlead::layout
