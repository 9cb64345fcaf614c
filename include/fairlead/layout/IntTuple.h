/// Nested tuples of integers: shapes, strides and coordinates.
#pragma once

#include <string>
#include <vector>

#include "fairlead/layout/Int.h"

namespace fairlead::layout {

/// An integer, or a tuple of IntTuples.
class FAIRLEAD_API IntTuple {
public:
  IntTuple(int64_t value) : leaf_(value) {}
  IntTuple(int value) : leaf_(value) {}
  IntTuple(const Int &leaf) : leaf_(leaf) {}
  explicit IntTuple(std::vector<IntTuple> modes) : isLeaf_(false), modes_(std::move(modes)) {}

  bool isLeaf() const { return isLeaf_; }
  /// The integer of a leaf.
  const Int &leaf() const { return leaf_; }
  /// The entries of a tuple; none for a leaf.
  const std::vector<IntTuple> &modes() const { return modes_; }
  const IntTuple &operator[](size_t mode) const { return modes_[mode]; }

  /// True when every leaf is.
  bool isStatic() const;
  /// The leaves from left to right.
  std::vector<Int> leaves() const;
  /// `4`, `(4,(2,?))`.
  std::string str() const;

  /// Nested identically, with leaves that are known to be equal.
  friend FAIRLEAD_API bool operator==(const IntTuple &a, const IntTuple &b);
  friend bool operator!=(const IntTuple &a, const IntTuple &b) { return !(a == b); }

private:
  bool isLeaf_ = true;
  Int leaf_;
  std::vector<IntTuple> modes_;
};

/// `tuple(4, tuple(2, 3))` is (4,(2,3)).
template <typename... Mode> IntTuple tuple(const Mode &...modes) {
  return IntTuple(std::vector<IntTuple>{IntTuple(modes)...});
}

/// The number of modes; 1 for a leaf.
FAIRLEAD_API int rank(const IntTuple &tuple);
/// Levels of nesting; 0 for a leaf.
FAIRLEAD_API int depth(const IntTuple &tuple);
/// The product of the leaves.
FAIRLEAD_API Int size(const IntTuple &tuple, const Arithmetic &arithmetic = Arithmetic());
/// True when the two are nested identically.
FAIRLEAD_API bool congruent(const IntTuple &a, const IntTuple &b);
/// True when `a` is nested like `b`, or less: a leaf of `a` stands for any mode of `b`.
FAIRLEAD_API bool weaklyCongruent(const IntTuple &a, const IntTuple &b);
/// A tuple of the leaves; a leaf stays one.
FAIRLEAD_API IntTuple flatten(const IntTuple &tuple);
/// A tuple nested like `profile` of as many integers as that has leaves.
FAIRLEAD_API IntTuple unflatten(const std::vector<Int> &leaves, const IntTuple &profile);

} // namespace fairlead::layout
