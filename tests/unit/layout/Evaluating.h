/// A program that runs while it is traced: integers that the algebra takes for dynamic, with values
/// that only the test knows.
#ifndef FAIRLEAD_TESTS_UNIT_LAYOUT_EVALUATING_H
#define FAIRLEAD_TESTS_UNIT_LAYOUT_EVALUATING_H

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "RandomLayouts.h"

namespace fairlead::layout {

class Evaluating : public Arithmetic {
public:
  /// A dynamic integer of this value.
  Int hide(int64_t value, int64_t divisibility = 1) {
    return Int::dynamic(&values.emplace_back(value), 64, divisibility);
  }
  /// All extents and strides hidden.
  Layout hideAll(const Layout &layout) {
    return mapped(layout, [&](const Int &leaf, bool) { return hide(leaf.value()); });
  }
  /// A random part of them hidden, with a random part of their factors known; equal ones may be
  /// one value of the program.
  Layout hideSome(const Layout &layout, Random &random, bool strides = true) {
    std::map<int64_t, Int> shared;
    bool all = random.below(8) == 0;
    return mapped(layout, [&](const Int &leaf, bool isStride) {
      if ((isStride && !strides) || (!all && random.below(2)))
        return leaf;
      if (auto found = shared.find(leaf.value()); found != shared.end() && random.below(2))
        return found->second;
      constexpr int64_t kFactors[] = {1, 1, 2, 3, 4, 8};
      Int result = hide(leaf.value(), std::gcd(leaf.value(), kFactors[random.below(6)]));
      shared.insert_or_assign(leaf.value(), result);
      return result;
    });
  }

  /// The integer's value when the program runs. Its known factors are checked.
  int64_t known(const Int &value) const {
    int64_t number =
        value.isStatic() ? value.value() : *static_cast<const int64_t *>(value.symbol());
    if (!value.isStatic()) {
      EXPECT_EQ(number % value.divisibility(), 0) << value.str() << " is " << number;
    }
    return number;
  }
  Layout known(const Layout &layout) const {
    return mapped(layout, [&](const Int &leaf, bool) { return Int(known(leaf)); });
  }

  /// Products of equal factors are known to be equal, in any order.
  bool same(const Int &a, const Int &b) const override {
    return a == b || product(a) == product(b);
  }
  bool checks() const override { return true; }
  void requireZero(const Int &value, const std::string &) const override {
    failed |= known(value) != 0;
  }
  /// True while nothing failed that is required.
  bool holds() const { return !failed; }
  void forget() { failed = false; }

protected:
  const void *emit(Op op, const Int &a, const Int &b, int) const override {
    const void *name = &values.emplace_back(compute(op, known(a), known(b)));
    if (op == Op::Mul) {
      Product made = product(a);
      for (const auto &[factor, times] : product(b).factors)
        made.factors[factor] += times;
      made.number *= product(b).number;
      products.emplace(name, made);
    }
    return name;
  }

private:
  /// A number times factors that have no further ones.
  struct Product {
    int64_t number = 1;
    std::map<const void *, int> factors;
    bool operator==(const Product &other) const {
      return number == other.number && factors == other.factors;
    }
  };
  Product product(const Int &value) const {
    if (value.isStatic())
      return {value.value(), {}};
    auto found = products.find(value.symbol());
    return found == products.end() ? Product{1, {{value.symbol(), 1}}} : found->second;
  }

  static int64_t compute(Op op, int64_t a, int64_t b) {
    switch (op) {
    case Op::Add:
      return a + b;
    case Op::Mul:
      return a * b;
    case Op::Min:
      return std::min(a, b);
    case Op::Max:
      return std::max(a, b);
    case Op::FloorDiv:
    case Op::Mod:
      EXPECT_GT(b, 0) << "divided by " << b;
      EXPECT_GE(a, 0) << "divided " << a;
      return b == 0 ? 0 : op == Op::FloorDiv ? a / b : a % b;
    }
    return 0;
  }

  template <typename Change> static Layout mapped(const Layout &layout, Change change) {
    std::vector<Int> extents = layout.shape().leaves(), strides = layout.stride().leaves();
    for (Int &extent : extents)
      extent = change(extent, false);
    for (Int &stride : strides)
      stride = change(stride, true);
    return *Layout::make(unflatten(extents, layout.shape()), unflatten(strides, layout.shape()));
  }

  mutable std::deque<int64_t> values; // names are addresses
  mutable std::map<const void *, Product> products;
  mutable bool failed = false;
};

} // namespace fairlead::layout
#endif // FAIRLEAD_TESTS_UNIT_LAYOUT_EVALUATING_H
