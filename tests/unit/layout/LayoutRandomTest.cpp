/// Random static layouts against counting through their coordinates.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {
namespace {

constexpr int kLayouts = 3000;
constexpr int64_t kMaxSize = 1024;

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(bound));
  }

  IntTuple shape(int levels, bool powersOfTwo) {
    if (levels == 0 || below(3) == 0)
      return powersOfTwo ? int64_t{1} << below(4) : 1 + below(6);
    std::vector<IntTuple> modes;
    for (int64_t count = 1 + below(3); count > 0; --count)
      modes.push_back(shape(levels - 1, powersOfTwo));
    return IntTuple(std::move(modes));
  }
  IntTuple smallShape(bool powersOfTwo = false) {
    for (;;)
      if (IntTuple result = shape(3, powersOfTwo); size(result).value() <= kMaxSize)
        return result;
  }

  Layout layout(bool powersOfTwo = false) {
    IntTuple extents = smallShape(powersOfTwo);
    std::vector<Int> strides = compactColMajor(extents).leaves();
    int64_t style = below(4);
    if (style == 0)
      strides = compactRowMajor(extents).leaves();
    for (Int &stride : strides)
      if (style == 1 || (style == 2 && below(3) == 0))
        stride = powersOfTwo ? int64_t{1} << below(8) : below(30);
    return *Layout::make(extents, unflatten(strides, extents));
  }

private:
  std::mt19937_64 engine;
};

/// The index of every coordinate, counted leaf by leaf with the first fastest.
class Counter {
public:
  explicit Counter(const Layout &layout)
      : extents(layout.shape().leaves()), strides(layout.stride().leaves()),
        coordinate(extents.size()) {}

  int64_t index() const {
    int64_t sum = 0;
    for (size_t i = 0; i < coordinate.size(); ++i)
      sum += coordinate[i] * strides[i].value();
    return sum;
  }
  std::vector<Int> leaves() const { return {coordinate.begin(), coordinate.end()}; }
  void advance() {
    for (size_t i = 0; i < coordinate.size(); ++i) {
      if (++coordinate[i] < extents[i].value())
        return;
      coordinate[i] = 0;
    }
  }

private:
  std::vector<Int> extents, strides;
  std::vector<int64_t> coordinate;
};

std::vector<int64_t> indices(const Layout &layout) {
  std::vector<int64_t> result;
  Counter counter(layout);
  for (int64_t i = 0; i < size(layout).value(); ++i, counter.advance())
    result.push_back(counter.index());
  return result;
}

TEST(LayoutRandom, CoordinatesAndIndices) {
  Random random(1);
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout();
    Counter counter(layout);
    for (int64_t i = 0; i < size(layout).value(); ++i, counter.advance()) {
      IntTuple full = unflatten(counter.leaves(), layout.shape());
      ASSERT_EQ(idx2crd(i, layout.shape()), full) << layout.str() << " at " << i;
      ASSERT_EQ(crd2idx(i, layout), Int(counter.index())) << layout.str() << " at " << i;
      ASSERT_EQ(crd2idx(full, layout), Int(counter.index()))
          << layout.str() << " at " << full.str();
      if (layout.shape().isLeaf())
        continue;
      // A flat coordinate: each mode's own linear index.
      std::vector<IntTuple> flat;
      for (size_t mode = 0; mode < full.modes().size(); ++mode)
        flat.push_back(*crd2idx(full[mode], Layout(layout.shape()[mode])));
      ASSERT_EQ(crd2idx(IntTuple(flat), layout), Int(counter.index()))
          << layout.str() << " at " << IntTuple(flat).str();
    }
  }
}

TEST(LayoutRandom, CompactLayoutsHitEveryIndexOnce) {
  Random random(2);
  for (int l = 0; l < kLayouts; ++l) {
    IntTuple shape = random.smallShape();
    std::vector<Int> order;
    for (size_t i = 0; i < shape.leaves().size(); ++i)
      order.push_back(random.below(4));
    for (const Layout &layout : {Layout(shape), *Layout::make(shape, compactRowMajor(shape)),
                                 *Layout::ordered(shape, unflatten(order, shape))}) {
      std::vector<int64_t> found = indices(layout);
      std::sort(found.begin(), found.end());
      for (size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(found[i], static_cast<int64_t>(i)) << layout.str();
    }
    ASSERT_EQ(indices(Layout(shape)).back(), size(shape).value() - 1);
  }
}

TEST(LayoutRandom, CoalesceKeepsTheFunction) {
  Random random(3);
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout(), result = coalesce(layout);
    ASSERT_EQ(indices(result), indices(layout)) << layout.str() << " became " << result.str();
    ASSERT_LE(depth(result), 1);
    std::vector<Int> extents = result.shape().leaves(), strides = result.stride().leaves();
    for (size_t i = 0; i < extents.size(); ++i) {
      ASSERT_TRUE(extents.size() == 1 || !extents[i].is(1)) << result.str();
      if (i) {
        ASSERT_NE(extents[i - 1].value() * strides[i - 1].value(), strides[i].value())
            << result.str();
      }
    }
    IntTuple profile = layout.shape().isLeaf()
                           ? IntTuple(1)
                           : IntTuple(std::vector<IntTuple>(layout.shape().modes().size(), 1));
    auto byMode = coalesce(layout, profile);
    ASSERT_TRUE(byMode);
    ASSERT_EQ(indices(*byMode), indices(layout)) << layout.str() << " became " << byMode->str();
    ASSERT_EQ(rank(*byMode), rank(layout));
  }
}

/// Checks that result(c) == a(b(c)) wherever that is defined, and returns at how many places.
int64_t checkComposition(const Layout &a, const Layout &b, const Layout &result) {
  EXPECT_TRUE(weaklyCongruent(b.shape(), result.shape())) << result.str() << " for " << b.str();
  std::vector<int64_t> outer = indices(a), inner = indices(b), composed = indices(result);
  EXPECT_EQ(composed.size(), inner.size());
  int64_t checked = 0;
  for (size_t i = 0; i < inner.size() && i < composed.size(); ++i)
    if (inner[i] < static_cast<int64_t>(outer.size())) {
      EXPECT_EQ(composed[i], outer[inner[i]])
          << a.str() << " o " << b.str() << " = " << result.str() << " at " << i;
      ++checked;
    }
  return checked;
}

TEST(LayoutRandom, CompositionIsTheComposedFunction) {
  Random random(4);
  int found = 0;
  int64_t checked = 0;
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout a = random.layout(), b = random.layout();
    if (auto result = composition(a, b)) {
      ++found;
      checked += checkComposition(a, b, *result);
    }
  }
  EXPECT_GT(found, kLayouts / 20);
  EXPECT_GT(checked, kLayouts);
}

/// A compact inner layout of powers of two divides into everything, and its modes never overlap.
TEST(LayoutRandom, CompactPowersOfTwoAlwaysCompose) {
  Random random(5);
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout a = random.layout(true);
    IntTuple shape = random.smallShape(true);
    std::vector<Int> order;
    for (size_t i = 0; i < shape.leaves().size(); ++i)
      order.push_back(random.below(4));
    Layout b = *Layout::ordered(shape, unflatten(order, shape));
    auto result = composition(a, b);
    ASSERT_TRUE(result) << a.str() << " o " << b.str();
    checkComposition(a, b, *result);
  }
}

} // namespace
} // namespace fairlead::layout
